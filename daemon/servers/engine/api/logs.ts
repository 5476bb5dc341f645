import {z} from 'zod'
import {enginePath, readPieces, type EngineHttp} from '../ask-engine.js'
import type {EngineCalls} from '../engine-calls.js'
import {LogFrames, timedLines} from '../log-lines.js'
import {toUnixTime} from '../unix-time.js'

const Inspected = z.object({Config: z.object({Tty: z.boolean().default(false)})})

export function logsCall(http: EngineHttp): EngineCalls['logs'] {
  return async (id, {signal, follow, tail, since, onLine}) => {
    const {Config} = Inspected.parse(await http.json({method: 'GET', path: enginePath('containers', id, 'json'), signal}))
    const lines = Config.Tty ? timedLines('stdout', onLine) : new LogFrames(onLine)
    const query = {stdout: true, stderr: true, timestamps: true, follow: follow ? true : undefined, tail: tail ?? 'all', since: since === undefined ? undefined : toUnixTime(since)}
    const response = await http.send({method: 'GET', path: enginePath('containers', id, 'logs'), query, signal})
    for await (const piece of readPieces(response)) lines.take(piece)
    lines.end()
  }
}
