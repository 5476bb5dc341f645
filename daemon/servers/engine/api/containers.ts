import {z} from 'zod'
import {enginePath, type EngineHttp} from '../ask-engine.js'
import {toContainerFacts} from '../container-facts.js'
import {toContainerUsage} from '../container-usage.js'
import {labelFilters, mapSome, type EngineCalls} from '../engine-calls.js'
import {hasStatus} from './images.js'

const Listed = z.array(z.object({Id: z.string()}))

export function containerCalls(http: EngineHttp): Pick<EngineCalls, 'containers' | 'container' | 'usage' | 'start' | 'stop' | 'restart' | 'remove'> {
  const container: EngineCalls['container'] = async (id, {signal}) => {
    try {
      return toContainerFacts(await http.json({method: 'GET', path: enginePath('containers', id, 'json'), signal}))
    } catch (error) {
      return hasStatus(error, [404]) ? undefined : Promise.reject(error)
    }
  }
  const act = async (id: string, verb: string, {signal, ...query}: {readonly signal: AbortSignal; readonly t?: number | undefined}) => {
    await http.json({method: 'POST', path: enginePath('containers', id, verb), query, signal})
  }
  return {
    container,
    async containers(labels, options) {
      const query = {all: true, filters: {label: labelFilters(labels)}}
      const listed = Listed.parse(await http.json({method: 'GET', path: '/containers/json', query, signal: options.signal}))
      // One may go between the two.
      return (await mapSome(listed, ({Id}) => container(Id, options))).filter((facts) => facts !== undefined)
    },
    async usage(id, {signal}) {
      const ask = (verb: string, query: Readonly<Record<string, boolean>>) => http.json({method: 'GET', path: enginePath('containers', id, verb), query, signal})
      const [stats, inspected] = await Promise.all([ask('stats', {stream: false}), ask('json', {size: true})])
      return toContainerUsage(stats, inspected)
    },
    // Status 304 says that it is so already.
    start: (id, {signal}) => act(id, 'start', {signal}),
    stop: (id, {signal, graceSeconds}) => act(id, 'stop', {signal, t: graceSeconds}),
    restart: (id, {signal, graceSeconds}) => act(id, 'restart', {signal, t: graceSeconds}),
    async remove(id, {signal}) {
      try {
        await http.json({method: 'DELETE', path: enginePath('containers', id), query: {force: true}, signal})
      } catch (error) {
        if (!hasStatus(error, [404])) throw error
      }
    },
  }
}
