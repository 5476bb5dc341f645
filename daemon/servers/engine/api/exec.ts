import {setTimeout as wait} from 'node:timers/promises'
import {z} from 'zod'
import type {Runner} from '../../runner.js'
import {enginePath, readPieces, type EngineHttp} from '../ask-engine.js'
import type {EngineCalls} from '../engine-calls.js'
import {KeptOutput} from '../kept-output.js'
import {outputFrames} from '../output-frames.js'

export interface ExecParts {
  readonly http: EngineHttp
  readonly runner: Runner
  readonly sudo: boolean
}

const Created = z.object({Id: z.string()})
const Inspected = z.object({Running: z.boolean(), ExitCode: z.number().nullable(), Pid: z.number().default(0)})

const endedTries = 40
const endedEveryMs = 50

export function execCall(parts: ExecParts): EngineCalls['exec'] {
  const {http} = parts
  return async (id, command, {signal, cwd, env = {}, maxOutputBytes}) => {
    const body = {AttachStdout: true, AttachStderr: true, Cmd: command, Env: Object.entries(env).map(([name, value]) => `${name}=${value}`), ...(cwd === undefined ? {} : {WorkingDir: cwd})}
    const {Id} = Created.parse(await http.json({method: 'POST', path: enginePath('containers', id, 'exec'), body, signal}))
    const kept = new KeptOutput(maxOutputBytes)
    const take = outputFrames((stream, frame) => kept.take(stream, frame))
    try {
      const response = await http.send({method: 'POST', path: enginePath('exec', Id, 'start'), body: {Detach: false, Tty: false}, signal})
      for await (const piece of readPieces(response)) take(piece)
      const exitCode = await exitCodeOf(http, Id, signal)
      return {exitCode, signal: null, stdout: kept.text('stdout'), stderr: kept.text('stderr'), truncated: kept.truncated}
    } catch (error) {
      // The engine has no call that ends a command, and older ones let it run on when nobody listens any more.
      if (signal.aborted) void endCommand(parts, id, Id).catch(() => undefined)
      throw error
    }
  }
}

async function inspectExec(http: EngineHttp, execId: string, signal: AbortSignal) {
  return Inspected.parse(await http.json({method: 'GET', path: enginePath('exec', execId, 'json'), signal}))
}

// The output ends a moment before the engine has noticed the end of the command.
async function exitCodeOf(http: EngineHttp, execId: string, signal: AbortSignal): Promise<number | null> {
  for (let tries = 1; ; tries++) {
    const {Running, ExitCode} = await inspectExec(http, execId, signal)
    if (!Running || tries === endedTries) return ExitCode
    await wait(endedEveryMs, undefined, {signal})
  }
}

const endMs = 15_000

// Who may use the engine may still not signal its processes: then the id that the process has inside is told.
const endScript = `p=$1
if kill -TERM "$p" 2>/dev/null; then
  for i in 1 2 3 4; do sleep 0.5; kill -0 "$p" 2>/dev/null || exit 0; done
  kill -KILL "$p"
else
  sed -n 's/^NSpid:.*[[:space:]]//p' "/proc/$p/status"
fi`

async function endCommand({http, runner, sudo}: ExecParts, containerId: string, execId: string): Promise<void> {
  const signal = AbortSignal.timeout(endMs)
  const {Running, Pid} = await inspectExec(http, execId, signal)
  if (!Running || Pid === 0) return
  const {stdout} = await runner.exec(['/bin/sh', '-c', endScript, 'sh', String(Pid)], {sudo, signal})
  const inside = stdout.trim()
  if (!/^\d+$/.test(inside)) return
  const body = {Cmd: ['kill', '-KILL', inside], User: '0'}
  const {Id} = Created.parse(await http.json({method: 'POST', path: enginePath('containers', containerId, 'exec'), body, signal}))
  await http.json({method: 'POST', path: enginePath('exec', Id, 'start'), body: {Detach: true}, signal})
}
