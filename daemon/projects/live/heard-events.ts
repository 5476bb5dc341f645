import type {EngineEvent} from '../../servers/engine/engine.js'
import type {Heard} from './judge-health.js'

export const nothingHeard: Heard & {readonly killed: boolean} = {deaths: 0, onPurpose: false, outOfMemory: false, killed: false}
export type HeardSoFar = typeof nothingHeard

/** What an event adds to what was heard of a container. A stop by the engine comes as kill, die, stop; an end of its own as die alone. */
export function hear(heard: HeardSoFar, action: EngineEvent['action']): HeardSoFar {
  switch (action) {
    case 'kill':
      return {...heard, killed: true}
    case 'stop':
      return {...heard, onPurpose: true, killed: false, deaths: 0}
    case 'oom':
      return {...heard, outOfMemory: true}
    case 'die':
      return heard.killed ? {...heard, onPurpose: true, killed: false, deaths: 0} : {...heard, deaths: heard.deaths + 1}
    case 'start':
      return {...heard, onPurpose: false, killed: false}
    case 'health_status: healthy':
      return nothingHeard
    default:
      return heard
  }
}
