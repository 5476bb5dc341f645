import type {Runner} from '../../runner.js'
import type {EngineHttp} from '../ask-engine.js'
import type {CallParts, EngineCalls} from '../engine-calls.js'
import {buildCall} from './build.js'
import {containerCalls} from './containers.js'
import {eventsCall} from './events.js'
import {execCall} from './exec.js'
import {imageCalls} from './images.js'
import {logsCall} from './logs.js'
import {pullCall} from './pull.js'
import {sessionCall} from './session.js'
import {volumeNetworkCalls} from './volumes-networks.js'

export interface ApiParts extends CallParts {
  readonly http: EngineHttp
  readonly runner: Runner
  readonly sudo: boolean
}

/** The calls through the API of the engine, over whatever connection. */
export function apiCalls(parts: ApiParts): EngineCalls {
  const {http} = parts
  const images = imageCalls(http)
  const exec = execCall(parts)
  return {
    ...images,
    ...containerCalls(http),
    ...volumeNetworkCalls(http),
    pull: pullCall(http, parts, images.image),
    build: buildCall(http, parts, images.image),
    logs: logsCall(http),
    exec,
    openSession: sessionCall(parts, exec),
    events: eventsCall(http),
  }
}
