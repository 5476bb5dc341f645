import type {WebSocket} from 'ws'
import type {z} from 'zod'
import {Fault} from '../../src/contract/faults.js'
import {readFrames, sendBytes} from '../../src/socket/socket-frames.js'
import type {Clock} from '../clock.js'
import type {Peer} from './handlers.js'

const pingMs = 25_000

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
