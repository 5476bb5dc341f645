import type {CommandChannel} from '../../channel.js'
import {endSession, sessionMark} from '../end-session.js'
import type {SessionPiece} from '../engine.js'
import type {EngineCalls} from '../engine-calls.js'
import {namedVariables, type CliParts} from './docker-cli.js'

export function sessionByCli(parts: CliParts, exec: EngineCalls['exec']): EngineCalls['openSession'] {
  const {runner, sudo, env} = parts
  return async (id, command, {signal, terminal, cwd, user}) => {
    const mark = sessionMark()
    const flags = ['--interactive', ...(terminal === null ? [] : ['--tty']), ...(cwd === undefined ? [] : ['--workdir', cwd]), ...(user === undefined ? [] : ['--user', user]), ...namedVariables('--env', mark, parts)]
    const channel = await runner.channel(['docker', 'exec', ...flags, '--', id, ...command], {signal, sudo, env: {...mark, ...env}, terminal})
    const end = () => endSession(exec, id, {mark, user})
    return {
      input: channel.stdin,
      output: read(channel, signal, end),
      resize: (size) => channel.resize(size),
      exitCode: async () => (await channel.ended).exitCode,
    }
  }
}

async function* read(channel: CommandChannel, signal: AbortSignal, end: () => Promise<void>): AsyncGenerator<SessionPiece> {
  const onAbort = () => channel.close()
  if (signal.aborted) onAbort()
  signal.addEventListener('abort', onAbort, {once: true})
  let isOver = false
  try {
    yield* bothStreams(channel)
    signal.throwIfAborted()
    isOver = true
  } catch (error) {
    signal.throwIfAborted()
    throw error
  } finally {
    signal.removeEventListener('abort', onAbort)
    if (!isOver) channel.close()
    // The client goes, and its engine lets the command run on.
    const ended = isOver ? undefined : end().catch(() => undefined)
    if (signal.aborted) await ended
  }
}

/** What comes of either, one piece at a time. */
async function* bothStreams({stdout, stderr}: CommandChannel): AsyncGenerator<SessionPiece> {
  const next = async (stream: SessionPiece['stream'], pieces: AsyncIterator<unknown>) => ({stream, pieces, result: await pieces.next()})
  const waiting = new Map([['stdout', stdout] as const, ['stderr', stderr] as const].map(([stream, readable]) => [stream, next(stream, readable[Symbol.asyncIterator]())]))
  while (waiting.size > 0) {
    const {stream, pieces, result} = await Promise.race(waiting.values())
    if (result.done === true) waiting.delete(stream)
    else {
      waiting.set(stream, next(stream, pieces))
      yield {stream, bytes: result.value as Buffer}
    }
  }
}
