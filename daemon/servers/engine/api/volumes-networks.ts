import {z} from 'zod'
import {enginePath, type EngineHttp} from '../ask-engine.js'
import {labelFilters, unlessThere, type EngineCalls} from '../engine-calls.js'
import {hasStatus} from './images.js'

const ListedVolumes = z.object({Volumes: z.array(z.object({Name: z.string(), Labels: z.record(z.string(), z.string()).nullish()})).nullish()})
const ListedNetworks = z.array(z.object({Id: z.string(), Name: z.string(), Labels: z.record(z.string(), z.string()).nullish()}))
const Members = z.object({Containers: z.record(z.string(), z.unknown()).nullish()})

export function volumeNetworkCalls(http: EngineHttp): Pick<EngineCalls, 'volumes' | 'removeVolume' | 'networks' | 'createNetwork' | 'connect' | 'removeNetwork'> {
  const list = (path: string, labels: Readonly<Record<string, string>>, signal: AbortSignal) =>
    http.json({method: 'GET', path, query: {filters: {label: labelFilters(labels)}}, signal})
  const remove = async (path: string, signal: AbortSignal) => void (await unlessMissing(http.json({method: 'DELETE', path, signal})))
  return {
    async volumes(labels, {signal}) {
      const {Volumes} = ListedVolumes.parse(await list('/volumes', labels, signal))
      return (Volumes ?? []).map(({Name, Labels}) => ({name: Name, labels: Labels ?? {}}))
    },
    removeVolume: (name, {signal}) => remove(enginePath('volumes', name), signal),
    async networks(labels, {signal}) {
      return ListedNetworks.parse(await list('/networks', labels, signal)).map(({Id, Name, Labels}) => ({id: Id, name: Name, labels: Labels ?? {}}))
    },
    async createNetwork(name, {labels, internal, signal}) {
      await unlessThere(http.json({method: 'POST', path: '/networks/create', body: {Name: name, CheckDuplicate: true, Internal: internal, Labels: labels}, signal}))
    },
    async connect(network, containerId, {aliases, signal}) {
      const body = {Container: containerId, EndpointConfig: {Aliases: aliases}}
      await unlessThere(http.json({method: 'POST', path: `${enginePath('networks', network)}/connect`, body, signal}))
    },
    async removeNetwork(id, {signal, force = false}) {
      const path = enginePath('networks', id)
      const members = force ? await unlessMissing(http.json({method: 'GET', path, signal})) : undefined
      for (const Container of Object.keys(Members.parse(members ?? {}).Containers ?? {})) {
        await unlessMissing(http.json({method: 'POST', path: `${path}/disconnect`, body: {Container, Force: true}, signal}))
      }
      await remove(path, signal)
    },
  }
}

async function unlessMissing(call: Promise<unknown>): Promise<unknown> {
  try {
    return await call
  } catch (error) {
    if (!hasStatus(error, [404])) throw error
    return undefined
  }
}
