import {createHash, timingSafeEqual} from 'node:crypto'
import net from 'node:net'
import type {Duplex} from 'node:stream'
import type {AnyAuthMethod, Client, ParsedKey, ServerHostKeyAlgorithm} from 'ssh2'
import {Fault} from '../../../src/contract/faults.js'
import {connectFault, hostKeyFault, translateConnectError, translateForwardError, type ConnectPhase, type FailureSubject} from './connect-failure.js'
import {loadPrivateKey} from './load-key.js'
import type {SshHop, SshTarget} from './ssh-target.js'

// The one file that opens SSH connections. Each is given a host verifier: the library accepts any key without one.

export interface ConnectSettings {
  readonly keyFolders: readonly string[]
  /** SSH_AUTH_SOCK of the daemon. */
  readonly agentSocket: string | undefined
}

export interface PresentedKey {
  readonly host: string
  readonly hostKeyFingerprint: string
}

export interface SshConnection {
  /** The connection to the target itself. */
  readonly client: Client
  /** What each hop showed, the target last. */
  readonly presented: readonly PresentedKey[]
  /** Settles when the connection is gone, for whatever reason. */
  readonly closed: Promise<void>
  end(): void
}

/** `SHA256:` and the unpadded base64 of the hash of the key blob, as OpenSSH prints it. */
export function fingerprintOf(keyBlob: Buffer): string {
  return `SHA256:${createHash('sha256').update(keyBlob).digest('base64').replace(/=+$/, '')}`
}

/**
 * Connects hop by hop. `presented` grows as the hops show their keys, so that a caller has them also when a later step fails.
 * Rejects with SERVER_UNREACHABLE or HOST_KEY_CHANGED.
 */
export async function openConnection(target: SshTarget, settings: ConnectSettings, signal: AbortSignal, presented: PresentedKey[] = []): Promise<SshConnection> {
  const clients: Client[] = []
  const end = () => {
    for (const client of [...clients].reverse()) client.end()
  }
  try {
    for (const hop of target.hops) {
      const subject = {target, hop}
      const methods = loginMethods(hop, settings, await loadPrivateKey(subject, settings.keyFolders))
      clients.push(await openHop({subject, previous: clients.at(-1), methods, signal}, presented))
    }
  } catch (error) {
    for (const client of clients) client.destroy()
    throw error
  }
  const client = clients.at(-1)
  if (client === undefined) throw new TypeError('a target has at least one hop')
  const closed = new Promise<void>((resolve) => {
    for (const each of clients) {
      each.on('error', () => undefined)
      each.once('close', () => {
        end()
        resolve()
      })
    }
  })
  return {client, presented, closed, end}
}

interface HopRequest {
  readonly subject: FailureSubject
  readonly previous: Client | undefined
  readonly methods: AnyAuthMethod[]
  readonly signal: AbortSignal
}

// Which of its keys a server shows is ours to choose: a pin may be of another kind than the one we like best.
const otherKeyKinds: readonly ServerHostKeyAlgorithm[][] = [
  ['ecdsa-sha2-nistp256', 'ecdsa-sha2-nistp384', 'ecdsa-sha2-nistp521'],
  ['rsa-sha2-512', 'rsa-sha2-256'],
]

async function openHop({subject, previous, methods, signal}: HopRequest, presented: PresentedKey[]): Promise<Client> {
  const attempt = async (shown: PresentedKey[], keyKinds?: ServerHostKeyAlgorithm[]) => {
    const socket = previous === undefined ? await connectSocket(subject, signal) : await forward(previous, subject, signal)
    return handshake({subject, socket, signal, methods, keyKinds}, shown)
  }
  try {
    return await attempt(presented)
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== 'HOST_KEY_CHANGED') throw error
    for (const keyKinds of otherKeyKinds) {
      const shown: PresentedKey[] = []
      try {
        const client = await attempt(shown, keyKinds)
        presented.splice(-1, 1, ...shown)
        return client
      } catch (reason) {
        signal.throwIfAborted()
        // The key was the pinned one, then; what went wrong came after it.
        if (reason instanceof Fault && reason.details['code'] === 'auth_failed') throw reason
      }
    }
    throw error
  }
}

function deadlineOf({target}: FailureSubject, signal: AbortSignal): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(target.connectTimeoutMs)])
}

function connectSocket(subject: FailureSubject, signal: AbortSignal): Promise<Duplex> {
  const {hop} = subject
  const deadline = deadlineOf(subject, signal)
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    const socket = net.connect({host: hop.host, port: hop.port, noDelay: true, autoSelectFamily: true})
    const onAbort = () => {
      socket.destroy()
      reject(signal.aborted ? signal.reason : connectFault(subject, 'filtered', 'no answer at all'))
    }
    deadline.addEventListener('abort', onAbort, {once: true})
    socket.once('connect', () => {
      deadline.removeEventListener('abort', onAbort)
      resolve(socket)
    })
    socket.once('error', (error) => {
      deadline.removeEventListener('abort', onAbort)
      reject(translateConnectError(subject, 'tcp', flattened(error)))
    })
  })
}

// With several addresses the error is a collection; the first tells the cause.
function flattened(error: Error): Error {
  const [first] = error instanceof AggregateError ? (error.errors as unknown[]) : []
  return first instanceof Error ? first : error
}

function forward(jump: Client, subject: FailureSubject, signal: AbortSignal): Promise<Duplex> {
  const deadline = deadlineOf(subject, signal)
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    const onAbort = () => reject(signal.aborted ? signal.reason : connectFault(subject, 'filtered', 'no answer at all'))
    deadline.addEventListener('abort', onAbort, {once: true})
    jump.forwardOut('127.0.0.1', 0, subject.hop.host, subject.hop.port, (error, channel) => {
      deadline.removeEventListener('abort', onAbort)
      if (error === undefined) resolve(channel)
      else reject(translateForwardError(subject, error))
    })
  })
}

interface Handshake {
  readonly subject: FailureSubject
  readonly socket: Duplex
  readonly signal: AbortSignal
  readonly methods: AnyAuthMethod[]
  readonly keyKinds: ServerHostKeyAlgorithm[] | undefined
}

async function handshake(request: Handshake, presented: PresentedKey[]): Promise<Client> {
  const {subject, socket, signal, methods, keyKinds} = request
  const {hop, target} = subject
  const {default: ssh2} = await import('ssh2')
  const client = new ssh2.Client()
  // Each channel listens for the end of its connection.
  client.setMaxListeners(0)
  const deadline = deadlineOf(subject, signal)
  let phase: ConnectPhase = 'handshake'
  let changed: string | undefined
  return new Promise((resolve, reject) => {
    const fail = (error: unknown) => {
      deadline.removeEventListener('abort', onAbort)
      client.on('error', () => undefined)
      client.destroy()
      socket.destroy()
      if (changed !== undefined && hop.expectedFingerprint !== null) reject(hostKeyFault(subject, hop.expectedFingerprint, changed))
      else reject(translateConnectError(subject, phase, error))
    }
    const onAbort = () => {
      if (!signal.aborted) return fail(connectFault(subject, 'timeout', phase === 'authentication' ? 'signing in took too long' : 'the port answers but nothing speaks'))
      client.destroy()
      socket.destroy()
      reject(signal.reason)
    }
    deadline.addEventListener('abort', onAbort, {once: true})
    client.once('error', fail)
    client.once('close', () => fail(new Error('the connection was closed')))
    client.once('ready', () => {
      deadline.removeEventListener('abort', onAbort)
      client.removeListener('error', fail)
      client.on('error', () => undefined)
      resolve(client)
    })
    try {
      client.connect({
        sock: socket,
        username: hop.user,
        authHandler: methods,
        ...(keyKinds === undefined ? {} : {algorithms: {serverHostKey: keyKinds}}),
        readyTimeout: 0,
        keepaliveInterval: target.keepaliveMs,
        keepaliveCountMax: 3,
        hostVerifier: (key: Buffer) => {
          const fingerprint = fingerprintOf(key)
          presented.push({host: hop.host, hostKeyFingerprint: fingerprint})
          phase = 'authentication'
          if (hop.expectedFingerprint === null || sameText(fingerprint, hop.expectedFingerprint)) return true
          changed = fingerprint
          return false
        },
      })
    } catch (error) {
      fail(error)
    }
  })
}

/** What to sign in with, in order; only what the server record names, or whatever there is when it names nothing. */
function loginMethods(hop: SshHop, settings: ConnectSettings, key: ParsedKey | undefined): AnyAuthMethod[] {
  const {user: username} = hop
  const {method, password} = hop.credentials
  const {agentSocket: agent} = settings
  const methods: AnyAuthMethod[] = []
  if (key !== undefined) methods.push({type: 'publickey', username, key})
  if (agent !== undefined && (method === 'agent' || (method === null && key === undefined && password === null))) methods.push({type: 'agent', username, agent})
  if (password !== null && (method === null || method === 'password')) {
    methods.push({type: 'password', username, password})
    // A prompt that echoes asks for something else than a password.
    methods.push({
      type: 'keyboard-interactive', username,
      prompt: (_name, _instructions, _language, prompts, finish) => finish(prompts.map((prompt) => (prompt.echo === true ? '' : password))),
    })
  }
  return methods.length === 0 ? [{type: 'none', username}] : methods
}

function sameText(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other))
}
