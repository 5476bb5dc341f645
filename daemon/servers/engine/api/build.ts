import {z} from 'zod'
import {Fault} from '../../../../src/contract/faults.js'
import {EngineRefused, type EngineHttp} from '../ask-engine.js'
import {buildCpuShares} from '../build-cpu-shares.js'
import {BuildOutput} from '../build-lines.js'
import type {CallParts, EngineCalls} from '../engine-calls.js'
import {PullProgress} from '../pull-lines.js'
import {toAuthsHeader} from '../registry-auth.js'
import {jsonLines} from './json-lines.js'

const BuildEvent = z.object({
  stream: z.string().optional(),
  status: z.string().optional(),
  error: z.string().optional(),
  errorDetail: z.object({message: z.string().optional()}).optional(),
})

/** The classic builder: it is in every engine, where BuildKit needs a session of its own. It ends with its connection. */
export function buildCall(http: EngineHttp, parts: CallParts, image: EngineCalls['image']): EngineCalls['build'] {
  return async (context, {signal, dockerfile, tag, args, target, labels, noCache, logins, onLine}) => {
    const subject = {...parts, tag}
    const output = new BuildOutput(onLine)
    // An image that the build starts from is pulled with the same events as any other.
    const pulling = new PullProgress((line) => output.take(`${line}\n`))
    let failure: string | undefined
    try {
      const response = await http.send({
        method: 'POST', path: '/build', body: context, signal,
        query: {version: '1', dockerfile, t: tag, buildargs: args, target, labels, nocache: noCache === true ? true : undefined, cpushares: buildCpuShares, rm: true, forcerm: true},
        ...(logins === undefined || logins.length === 0 ? {} : {headers: {'X-Registry-Config': toAuthsHeader(logins)}}),
      })
      for await (const event of jsonLines(response)) {
        const {stream, status, error, errorDetail} = BuildEvent.catch({}).parse(event)
        if (stream !== undefined) output.take(stream)
        else if (status !== undefined) pulling.take(event)
        else if (error !== undefined) failure = errorDetail?.message ?? error
      }
    } catch (error) {
      throw error instanceof EngineRefused ? output.fault(subject, error.message, error) : error
    }
    if (failure !== undefined) throw output.fault(subject, failure)
    output.end()
    const facts = await image(tag, {signal})
    if (facts === undefined) throw new Fault('NOT_FOUND', `${tag} went away right after it was built`, {details: {serverId: parts.serverId, image: tag}})
    return facts
  }
}
