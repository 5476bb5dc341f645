import type {Duplex} from 'node:stream'
import {setTimeout as wait} from 'node:timers/promises'
import {enginePath, readPieces, type EngineHttp} from '../ask-engine.js'
import {endSession, sessionMark} from '../end-session.js'
import type {TerminalSize} from '../../terminal-size.js'
import type {SessionPiece} from '../engine.js'
import type {EngineCalls} from '../engine-calls.js'
import {outputFrames} from '../output-frames.js'
import {endExec} from './end-exec.js'
import {createExec, exitCodeOf, type ExecParts} from './exec-calls.js'

export function sessionCall(parts: ExecParts, exec: EngineCalls['exec']): EngineCalls['openSession'] {
  const {http} = parts
  return async (id, command, {signal, terminal, cwd, user}) => {
    const mark = sessionMark()
    const Tty = terminal !== null
    const ConsoleSize = terminal === null ? undefined : [terminal.rows, terminal.columns]
    const execId = await createExec(http, id, {
      AttachStdin: true, AttachStdout: true, AttachStderr: true, Tty, ConsoleSize, Cmd: command, WorkingDir: cwd, User: user,
      Env: Object.entries(mark).map(([name, value]) => `${name}=${value}`),
    }, signal)
    const stream = await http.hijack({method: 'POST', path: enginePath('exec', execId, 'start'), body: {Detach: false, Tty, ConsoleSize}, signal})
    const resize = resizer(http, execId, {signal, isOver: () => stream.destroyed})
    // Older engines take no size before the start.
    if (terminal !== null) resize(terminal)
    const end = async () => {
      await endSession(exec, id, {mark, user}).catch(() => undefined)
      await endExec(parts, id, execId)
    }
    return {input: stream, output: read(stream, {hasTerminal: Tty, signal, end}), resize, exitCode: () => exitCodeOf(http, execId, signal)}
  }
}

async function* read(stream: Duplex, {hasTerminal, signal, end}: {readonly hasTerminal: boolean; readonly signal: AbortSignal; readonly end: () => Promise<void>}): AsyncGenerator<SessionPiece> {
  const frames: SessionPiece[] = []
  const take = hasTerminal
    ? (bytes: Buffer) => frames.push({stream: 'stdout', bytes})
    : outputFrames((from, bytes) => frames.push({stream: from, bytes}))
  let isOver = false
  try {
    for await (const bytes of readPieces(stream)) {
      take(bytes)
      yield* frames.splice(0)
    }
    isOver = true
  } finally {
    // An engine lets it run on when nobody listens any more.
    const ended = isOver ? undefined : end().catch(() => undefined)
    if (signal.aborted) await ended
  }
}

const resizeTries = 100
const resizeEveryMs = 100

// One at a time, and of those that came meanwhile the last. A command that has only just been started takes none yet; one that has ended takes none any more.
function resizer(http: EngineHttp, execId: string, {signal, isOver}: {readonly signal: AbortSignal; readonly isOver: () => boolean}): (size: TerminalSize) => void {
  let wished: TerminalSize | undefined
  let busy = false
  const work = async () => {
    for (let tries = 0; wished !== undefined && tries < resizeTries && !isOver(); tries++) {
      const size = wished
      try {
        await http.json({method: 'POST', path: enginePath('exec', execId, 'resize'), query: {h: size.rows, w: size.columns}, signal})
        if (wished === size) wished = undefined
        tries = 0
      } catch {
        await wait(resizeEveryMs)
      }
    }
    wished = undefined
    busy = false
  }
  return (size) => {
    wished = size
    if (busy) return
    busy = true
    void work()
  }
}
