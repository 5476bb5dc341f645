import {randomBytes} from 'node:crypto'
import {Fault} from '../../../src/contract/faults.js'
import type {Clock} from '../../clock.js'
import type {OpenShell} from '../channel.js'
import type {DurableCommand, DurableEnd, DurableRunner, DurableStream, FollowOptions} from '../runner.js'
import {readControl} from './control.js'
import {endOf, followChannel, readAfterMarker, sizeOf, type Followed} from './follow.js'
import {neverStarted, startedAt, toDurableEnd, type EndRecord, type StartRecord} from './records.js'
import {fetchScript, followScript, launchScript, removeScript, stopScript, type ScriptContext} from './scripts.js'

export interface DurableSettings {
  readonly serverId: string
  /** For messages. */
  readonly serverName: string
  readonly openShell: OpenShell
  readonly clock: Clock
  readonly runsFolder: string | null
  readonly loginShell: boolean
  readonly shell?: string | undefined
}

// What package tools need to know when nobody is there to answer.
const unattended = {DEBIAN_FRONTEND: 'noninteractive', DPKG_FORCE: 'confnew'}

/** Durable runs over anything that can start a shell. */
export function durableRunner(settings: DurableSettings): DurableRunner {
  const scriptContext = (): ScriptContext => ({token: `moorage-${randomBytes(9).toString('hex')}`, runsFolder: settings.runsFolder})

  const run = async (command: DurableCommand, follow: FollowOptions) => {
    const context = {...scriptContext(), launchedAtMs: settings.clock.now(), loginShell: settings.loginShell, shell: settings.shell}
    const script = launchScript(context, {...command, env: {...unattended, ...command.env}}, follow.from.output)
    return followToEnd(command.id, context.token, script, follow)
  }
  const attach = async (id: string, follow: FollowOptions) => {
    const context = scriptContext()
    return followToEnd(id, context.token, followScript(context, id, 'output', follow.from.output), follow)
  }

  const followToEnd = async (id: string, token: string, script: string, follow: FollowOptions): Promise<DurableEnd> => {
    const trouble = new AbortController()
    const inner: FollowOptions = {...follow, signal: AbortSignal.any([follow.signal, trouble.signal])}
    const others: Promise<number>[] = []
    const output = await followStream(id, token, script, 'output', inner, (start) => {
      if (!start.separateStderr || others.length > 0) return
      const stderr = followStderr(id, inner)
      stderr.catch((error: unknown) => trouble.abort(error))
      others.push(stderr)
    }).catch(async (error: unknown) => {
      trouble.abort(error)
      await Promise.allSettled(others)
      throw error
    })
    if (output.never) return neverStarted
    await Promise.all(others)
    return toDurableEnd(output.start, output.end)
  }

  const followStderr = async (id: string, follow: FollowOptions) => {
    const context = scriptContext()
    return (await followStream(id, context.token, followScript(context, id, 'stderr', follow.from.stderr), 'stderr', follow)).position
  }

  const followStream = async (id: string, token: string, script: string, stream: DurableStream, follow: FollowOptions, onStart?: StartListener) => {
    const channel = await settings.openShell(follow.signal)
    const followed = await followChannel(
      {
        channel, script, token, stream,
        onStart: (start) => {
          if (stream === 'output') follow.onStarted?.(startedAt(start))
          onStart?.(start)
        },
      },
      follow,
    )
    if (followed.failed !== null) throw unusable(followed.failed)
    if (followed.never) return {...followed, never: true as const}
    const {end} = followed
    if (end === null) throw unusable(followed.noise.trim().split('\n')[0] || 'the shell ended without a word')
    return {start: followed.start, end, never: false as const, position: await fill(id, stream, followed, end, follow)}
  }

  // Brings what was written after the follower had been stopped: from the bytes that came with the end record, else from the file.
  const fill = async (id: string, stream: DurableStream, followed: Followed, end: EndRecord, follow: FollowOptions) => {
    const size = sizeOf(end, stream)
    let {position} = followed
    const missing = size - position
    if (missing <= 0) return position
    if (missing <= followed.tail.length) {
      await follow.onChunk({stream, offset: position, bytes: followed.tail.subarray(followed.tail.length - missing)})
      return size
    }
    const context = scriptContext()
    const channel = await settings.openShell(follow.signal)
    const abandon = () => channel.close()
    follow.signal.addEventListener('abort', abandon, {once: true})
    try {
      channel.stdin.end(fetchScript(context, id, stream, position))
      channel.stderr.resume()
      await readAfterMarker(channel, context.token, async (bytes) => {
        await follow.onChunk({stream, offset: position, bytes})
        position += bytes.length
      })
      if (position < size) await endOf(channel, follow.signal)
    } finally {
      follow.signal.removeEventListener('abort', abandon)
      channel.close()
    }
    follow.signal.throwIfAborted()
    if (position < size) throw unusable(`only ${position} of ${size} bytes of output are left in the run folder`)
    return position
  }

  const ask = async (script: string, token: string, signal: AbortSignal) => {
    const channel = await settings.openShell(signal)
    const abandon = () => channel.close()
    signal.addEventListener('abort', abandon, {once: true})
    try {
      let done = false
      let failed: string | null = null
      channel.stdin.end(script)
      channel.stdout.resume()
      await readControl(channel.stderr, token, (line) => {
        if (line.kind === 'failed') failed = line.message
        if (line.kind === 'done') done = true
      })
      if (failed !== null) throw unusable(failed)
      if (!done) {
        await endOf(channel, signal)
        throw unusable('the shell ended without a word')
      }
    } catch (error) {
      signal.throwIfAborted()
      throw error
    } finally {
      signal.removeEventListener('abort', abandon)
      channel.close()
    }
  }

  const unusable = (message: string) =>
    new Fault('SERVER_UNREACHABLE', `${settings.serverName} can not hold runs: ${message}`, {details: {code: 'misconfigured', serverId: settings.serverId}})

  return {
    run,
    attach,
    async stop(id, graceMs, signal) {
      const context = scriptContext()
      await ask(stopScript(context, id, graceMs), context.token, signal)
    },
    async remove(id, signal) {
      const context = scriptContext()
      await ask(removeScript(context, id), context.token, signal)
    },
  }
}

type StartListener = (start: StartRecord) => void
