import type {WebSocket} from 'ws'
import type {z} from 'zod'
import {Fault} from '../../src/contract/faults.js'
import type {Clock} from '../clock.js'
import type {Peer} from './handlers.js'

const pingMs = 25_000
/** What waits in memory each way before the other side has to wait. */
const mostWaitingBytes = 512 * 1024

export interface SocketPeerParts {
  readonly socket: WebSocket
  /** Of text frames from the caller, and to him. */
  readonly takes: z.ZodType | undefined
  readonly output: z.ZodType | undefined
  readonly clock: Clock
  readonly signal: AbortSignal
}

/** A WebSocket as the one who talks over it sees it. Pings go on until the socket closes. */
export function socketPeer({socket, takes, output, clock, signal}: SocketPeerParts): Peer<unknown, unknown> {
  keepAlive(socket, clock)
  const parse = (frame: Buffer | string): unknown => (typeof frame === 'string' ? parseControl(frame, takes) : frame)
  const frames = readFrames(socket, signal)
  return {
    signal,
    frames: {
      async *[Symbol.asyncIterator]() {
        for await (const frame of frames) yield parse(frame)
      },
    },
    async send(frame) {
      signal.throwIfAborted()
      if (frame instanceof Uint8Array) return sendBytes(socket, frame, signal)
      socket.send(JSON.stringify(output?.parse(frame)))
    },
  }
}

// Bytes of a sender that are not yet with the system: it waits for those of its last frame.
function sendBytes(socket: WebSocket, bytes: Uint8Array, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason)
    signal.addEventListener('abort', onAbort, {once: true})
    const go = (error?: Error) => {
      // A socket that closed says so by the signal.
      if (error !== undefined) return
      signal.removeEventListener('abort', onAbort)
      resolve()
    }
    socket.send(bytes, {binary: true}, go)
    if (socket.readyState === socket.OPEN && socket.bufferedAmount < mostWaitingBytes) go()
  })
}

/** Text as strings, anything else as bytes. Listens at once; ends with the socket, fails with the signal. */
function readFrames(socket: WebSocket, signal: AbortSignal): AsyncIterable<Buffer | string> {
  const waiting: (Buffer | string)[] = []
  let waitingBytes = 0
  let wake: () => void = () => undefined
  const changed = () => wake()
  socket.on('message', (data: Buffer, isBinary: boolean) => {
    waiting.push(isBinary ? data : data.toString('utf8'))
    waitingBytes += data.length
    if (waitingBytes >= mostWaitingBytes) socket.pause()
    changed()
  })
  signal.addEventListener('abort', changed, {once: true})
  return {
    async *[Symbol.asyncIterator]() {
      for (;;) {
        signal.throwIfAborted()
        const frame = waiting.shift()
        if (frame === undefined) {
          waitingBytes = 0
          if (socket.isPaused) socket.resume()
          await new Promise<void>((resolve) => (wake = resolve))
        } else yield frame
      }
    },
  }
}

function parseControl(text: string, takes: z.ZodType | undefined): unknown {
  try {
    const result = takes?.safeParse(JSON.parse(text))
    if (result?.success === true) return result.data
  } catch {
    // Said below.
  }
  throw new Fault('VALIDATION_ERROR', 'a text frame is none of the messages that this route takes')
}

// For proxies that close what is silent; and a write is what tells of a caller that is gone while nothing is read from him.
function keepAlive(socket: WebSocket, clock: Clock): void {
  const ping = () => {
    socket.ping()
    cancel = clock.after(pingMs, ping)
  }
  let cancel = clock.after(pingMs, ping)
  socket.once('close', () => cancel())
}
