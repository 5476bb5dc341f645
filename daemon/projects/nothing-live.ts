import {Fault} from '../../src/contract/faults.js'
import type {serviceRoutes} from '../../src/contract/services.js'
import type {Handlers} from '../http/handlers.js'
import type {Store} from '../store/store.js'
import {getProject} from './find-project.js'

type Live = 'containers' | 'start' | 'stop' | 'restart' | 'logs' | 'logStream' | 'exec'

/** The live routes of services while no server is asked: to be replaced by those that do. */
export function nothingLive(store: Store): Handlers<Pick<typeof serviceRoutes, Live>> {
  const refuse = async ({params}: {readonly params: {readonly id: string}}, {principal}: {readonly principal: Parameters<typeof getProject>[2]}): Promise<never> => {
    const project = await getProject(store, params.id, principal, 'read')
    throw new Fault('NOTHING_DEPLOYED', `nothing of ${project.name} is deployed`)
  }
  return {
    async containers({params}, {principal}) {
      await getProject(store, params.id, principal, 'read')
      return {success: true as const, containers: []}
    },
    start: refuse,
    stop: refuse,
    restart: refuse,
    logs: refuse,
    logStream: refuse,
    exec: refuse,
  }
}
