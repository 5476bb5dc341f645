import type {Client} from '../client/client.js'
import {Fault} from '../contract/faults.js'

/** An app of the catalog; where there is none of this id, the fault says how to look for it. */
export async function getApp(api: Client, id: string, signal: AbortSignal) {
  try {
    return await api.apps.show({params: {id}}, {signal})
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== 'NOT_FOUND') throw error
    throw new Fault('NOT_FOUND', `no app ${id}`, {details: {app: id}, suggestions: [/^[\w.-]+$/.test(id) ? `apps search ${id}` : 'apps list'], cause: error})
  }
}
