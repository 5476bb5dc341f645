import {EngineLost, type EngineHttp} from '../ask-engine.js'
import {labelFilters, type EngineCalls} from '../engine-calls.js'
import {toEngineEvent, watchedActions} from '../engine-events.js'
import {jsonLines} from './json-lines.js'

export function eventsCall(http: EngineHttp): EngineCalls['events'] {
  return async function* (labels, {signal, onOpen}) {
    const query = {filters: {type: ['container'], event: watchedActions, label: labelFilters(labels)}}
    const response = await http.send({method: 'GET', path: '/events', query, signal})
    onOpen?.()
    for await (const value of jsonLines(response)) {
      const event = toEngineEvent(value)
      if (event !== undefined) yield event
    }
    // It goes on for as long as the engine lives.
    throw new EngineLost('the engine ended its events')
  }
}
