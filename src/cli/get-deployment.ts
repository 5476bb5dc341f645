import type {Client} from '../client/client.js'
import type {Deployment} from '../contract/deployments.js'
import {Fault} from '../contract/faults.js'

/** A deployment, or a fault that says which one is not there. */
export async function getDeployment(api: Client, id: string, signal: AbortSignal): Promise<Deployment> {
  return forDeployment(id, async () => (await api.deployments.show({params: {id}}, {signal})).data)
}

/** Puts the id into the fault of a deployment that is not there. */
export async function forDeployment<T>(id: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== 'NOT_FOUND') throw error
    throw new Fault('NOT_FOUND', `no deployment ${id}`, {details: {deployment: id}, suggestions: ['deployments list'], cause: error})
  }
}
