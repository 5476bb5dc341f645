import {EngineRefused, type EngineHttp} from '../ask-engine.js'
import type {CallParts, EngineCalls} from '../engine-calls.js'
import {parseImageRef} from '../image-ref.js'
import {pullFault} from '../pull-faults.js'
import {PullProgress} from '../pull-lines.js'
import {toAuthHeader} from '../registry-auth.js'
import {Fault} from '../../../../src/contract/faults.js'
import {jsonLines} from './json-lines.js'

export function pullCall(http: EngineHttp, parts: CallParts, image: EngineCalls['image']): EngineCalls['pull'] {
  return async (ref, {signal, login, onLine}) => {
    const {repository, version} = parseImageRef(ref)
    const failed = {...parts, ref, hasLogin: login !== undefined}
    const progress = new PullProgress(onLine)
    try {
      const response = await http.send({
        method: 'POST', path: '/images/create', query: {fromImage: repository, tag: version}, signal,
        ...(login === undefined ? {} : {headers: {'X-Registry-Auth': toAuthHeader(login)}}),
      })
      for await (const event of jsonLines(response)) progress.take(event)
    } catch (error) {
      throw error instanceof EngineRefused ? pullFault(failed, error.message, error) : error
    }
    if (progress.failure !== undefined) throw pullFault(failed, progress.failure)
    const facts = await image(ref, {signal})
    if (facts === undefined) throw new Fault('NOT_FOUND', `${ref} went away right after it was pulled`, {details: {serverId: parts.serverId, image: ref}})
    return facts
  }
}
