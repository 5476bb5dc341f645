import {setTimeout as wait} from 'node:timers/promises'
import {z} from 'zod'
import type {Runner} from '../../runner.js'
import {enginePath, type EngineHttp} from '../ask-engine.js'

export interface ExecParts {
  readonly http: EngineHttp
  readonly runner: Runner
  readonly sudo: boolean
}

const Created = z.object({Id: z.string()})
const Inspected = z.object({Running: z.boolean(), ExitCode: z.number().nullable(), Pid: z.number().default(0)})

const endedTries = 40
const endedEveryMs = 50

/** Announces a command in a container; it is started with the id that this answers. */
export async function createExec(http: EngineHttp, containerId: string, body: object, signal: AbortSignal): Promise<string> {
  return Created.parse(await http.json({method: 'POST', path: enginePath('containers', containerId, 'exec'), body, signal})).Id
}

export async function inspectExec(http: EngineHttp, execId: string, signal: AbortSignal) {
  return Inspected.parse(await http.json({method: 'GET', path: enginePath('exec', execId, 'json'), signal}))
}

// The output ends a moment before the engine has noticed the end of the command.
export async function exitCodeOf(http: EngineHttp, execId: string, signal: AbortSignal): Promise<number | null> {
  for (let tries = 1; ; tries++) {
    const {Running, ExitCode} = await inspectExec(http, execId, signal)
    if (!Running || tries === endedTries) return ExitCode
    await wait(endedEveryMs, undefined, {signal})
  }
}
