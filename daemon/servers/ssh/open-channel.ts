import {PassThrough} from 'node:stream'
import type {Client, ClientChannel, ExecOptions} from 'ssh2'
import {Fault} from '../../../src/contract/faults.js'
import type {ChannelEnd, CommandChannel} from '../channel.js'
import type {TerminalSize} from '../terminal-size.js'

/** The far side has no room for another channel on this connection; nothing was started. */
export class ChannelRefused extends Error {
  override readonly name = 'ChannelRefused'
}

/** The connection was dead before anything was sent on it; nothing was started. */
export class StaleConnection extends Error {
  override readonly name = 'StaleConnection'
}

export interface ChannelSubject {
  readonly serverId: string | null
  readonly name: string
}

// RFC 4254 5.1: CONNECT_FAILED and RESOURCE_SHORTAGE; sshd answers the former past MaxSessions.
const fullReasons: readonly unknown[] = [2, 4]

/** Takes the answer to a request for a channel. */
type ChannelAnswer = (error: Error | undefined, channel: ClientChannel) => void

export interface ChannelRequest<T> {
  readonly client: Client
  readonly ask: (answer: ChannelAnswer) => void
  /** At once, as what the far side sent with its answer comes right behind it. */
  readonly take: (channel: ClientChannel) => T
  readonly explain: (error: Error) => Error
  readonly subject: ChannelSubject
  readonly signal: AbortSignal
}

/** Opens a channel on an open connection; rejects when the connection drops. One that comes too late is closed. */
export function requestChannel<T>({client, ask, take, explain, subject, signal}: ChannelRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    let settled = false
    const settle = (act: () => void) => {
      if (settled) return
      settled = true
      signal.removeEventListener('abort', onAbort)
      client.removeListener('close', onClose)
      act()
    }
    const onAbort = () => settle(() => reject(signal.reason))
    const onClose = () => settle(() => reject(dropped(subject)))
    signal.addEventListener('abort', onAbort, {once: true})
    client.once('close', onClose)
    try {
      ask((error, channel) => {
        if (settled) channel?.close()
        else settle(() => (error === undefined ? resolve(take(channel)) : reject(explain(error))))
      })
    } catch (error) {
      settle(() => reject(new StaleConnection('the connection is not open', {cause: error})))
    }
  })
}

export interface ChannelWish {
  readonly command: string
  readonly signal: AbortSignal
  /** With a terminal of this size: all it says is on stdout then. What comes in is echoed by programs that want it alone. */
  readonly terminal?: TerminalSize | null
}

/** Runs one command on an open connection. */
export function openChannel(client: Client, {command, signal, terminal = null}: ChannelWish, subject: ChannelSubject): Promise<CommandChannel> {
  const options: ExecOptions = terminal === null ? {} : {pty: {term: 'xterm', cols: terminal.columns, rows: terminal.rows, modes: {ECHO: 0}}}
  return requestChannel({
    client, subject, signal,
    ask: (answer) => void client.exec(command, options, answer),
    take: (channel) => toCommandChannel(client, channel, subject),
    explain: (error) => toOpenFailure(error, subject),
  })
}

function toOpenFailure(error: Error, subject: ChannelSubject): Error {
  if ('reason' in error && fullReasons.includes(error.reason)) return new ChannelRefused(error.message, {cause: error})
  return new Fault('SERVER_UNREACHABLE', `${subject.name} does not run commands for this user`, {
    details: {code: 'permission_denied', serverId: subject.serverId, hint: 'allow this user a shell on that server'},
    cause: error,
  })
}

export function dropped(subject: ChannelSubject): Fault {
  return new Fault('SERVER_UNREACHABLE', `the connection to ${subject.name} dropped`, {
    details: {code: 'unreachable', serverId: subject.serverId, hint: 'check the network, and that the SSH server still runs'},
  })
}

function toCommandChannel(client: Client, channel: ClientChannel, subject: ChannelSubject): CommandChannel {
  // Streams of our own: those of the library can not be ended from this side.
  const stdout = new PassThrough()
  const stderr = new PassThrough()
  channel.pipe(stdout)
  channel.stderr.pipe(stderr)
  let exit: ChannelEnd | undefined
  let letGo = false
  let lost = false
  const onDrop = () => (lost = true)
  client.once('close', onDrop)
  client.once('end', onDrop)
  let settleNow: () => void = () => undefined
  const ended = new Promise<ChannelEnd>((resolve, reject) => {
    channel.once('exit', (code: number | null, signal?: string) => {
      exit = {exitCode: code, signal: signal === undefined ? null : `SIG${signal.replace(/^SIG/, '')}`}
    })
    const settle = () => {
      client.removeListener('close', onDrop)
      client.removeListener('end', onDrop)
      if (exit !== undefined) resolve(exit)
      else if (letGo) resolve({exitCode: null, signal: null})
      else reject(lost ? dropped(subject) : noStatus(subject))
    }
    settleNow = settle
    channel.once('close', () => {
      stdout.end()
      stderr.end()
      // Of a connection that drops, the channels close a moment before it says so itself.
      setImmediate(settle)
    })
  })
  // Nobody may be waiting for it.
  ended.catch(() => undefined)
  channel.on('error', () => undefined)
  return {
    stdin: channel,
    stdout,
    stderr,
    ended,
    signal: (name) => {
      if (exit === undefined) channel.signal(name)
    },
    resize({columns, rows}) {
      if (exit === undefined) channel.setWindow(rows, columns, 0, 0)
    },
    close() {
      letGo = true
      channel.close()
      stdout.destroy()
      stderr.destroy()
      // What still arrives must not hold up the closing.
      channel.resume()
      channel.stderr.resume()
      // sshd keeps a channel open as long as its command lives.
      settleNow()
    },
  }
}

function noStatus(subject: ChannelSubject): Fault {
  return new Fault('SERVER_UNREACHABLE', `${subject.name} closed the channel without an exit status`, {
    details: {code: 'protocol_error', serverId: subject.serverId, hint: 'check the log of its SSH server'},
  })
}
