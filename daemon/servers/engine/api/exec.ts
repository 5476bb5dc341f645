import {enginePath, readPieces} from '../ask-engine.js'
import type {EngineCalls} from '../engine-calls.js'
import {KeptOutput} from '../kept-output.js'
import {outputFrames} from '../output-frames.js'
import {endExec} from './end-exec.js'
import {createExec, exitCodeOf, type ExecParts} from './exec-calls.js'

export function execCall(parts: ExecParts): EngineCalls['exec'] {
  const {http} = parts
  return async (id, command, {signal, cwd, env = {}, user, maxOutputBytes}) => {
    const body = {AttachStdout: true, AttachStderr: true, Cmd: command, Env: Object.entries(env).map(([name, value]) => `${name}=${value}`), WorkingDir: cwd, User: user}
    const execId = await createExec(http, id, body, signal)
    const kept = new KeptOutput(maxOutputBytes)
    const take = outputFrames((stream, frame) => kept.take(stream, frame))
    try {
      const response = await http.send({method: 'POST', path: enginePath('exec', execId, 'start'), body: {Detach: false, Tty: false}, signal})
      for await (const piece of readPieces(response)) take(piece)
      const exitCode = await exitCodeOf(http, execId, signal)
      return {exitCode, signal: null, stdout: kept.text('stdout'), stderr: kept.text('stderr'), truncated: kept.truncated}
    } catch (error) {
      // The engine has no call that ends a command, and older ones let it run on when nobody listens any more.
      if (signal.aborted) void endExec(parts, id, execId).catch(() => undefined)
      throw error
    }
  }
}
