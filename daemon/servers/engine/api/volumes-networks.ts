import {z} from 'zod'
import {enginePath, type EngineHttp} from '../ask-engine.js'
import {labelFilters, type EngineCalls} from '../engine-calls.js'
import {hasStatus} from './images.js'

const ListedVolumes = z.object({Volumes: z.array(z.object({Name: z.string(), Labels: z.record(z.string(), z.string()).nullish()})).nullish()})
const ListedNetworks = z.array(z.object({Id: z.string(), Name: z.string()}))

export function volumeNetworkCalls(http: EngineHttp): Pick<EngineCalls, 'volumes' | 'removeVolume' | 'networks' | 'removeNetwork'> {
  const list = (path: string, labels: Readonly<Record<string, string>>, signal: AbortSignal) =>
    http.json({method: 'GET', path, query: {filters: {label: labelFilters(labels)}}, signal})
  const remove = async (path: string, signal: AbortSignal) => {
    try {
      await http.json({method: 'DELETE', path, signal})
    } catch (error) {
      if (!hasStatus(error, [404])) throw error
    }
  }
  return {
    async volumes(labels, {signal}) {
      const {Volumes} = ListedVolumes.parse(await list('/volumes', labels, signal))
      return (Volumes ?? []).map(({Name, Labels}) => ({name: Name, labels: Labels ?? {}}))
    },
    removeVolume: (name, {signal}) => remove(enginePath('volumes', name), signal),
    async networks(labels, {signal}) {
      return ListedNetworks.parse(await list('/networks', labels, signal)).map(({Id, Name}) => ({id: Id, name: Name}))
    },
    removeNetwork: (id, {signal}) => remove(enginePath('networks', id), signal),
  }
}
