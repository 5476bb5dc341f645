import type {IncomingMessage} from 'node:http'
import {WebSocket} from 'ws'
import {Fault} from '../contract/faults.js'
import {readFrames, sendBytes} from '../socket/socket-frames.js'
import {readJson, type Outgoing} from './send.js'
import {flattenHeaders} from './transport.js'
import {toTransportFault} from './transport-fault.js'

/** A WebSocket to the daemon. */
export interface Channel<In, Out> {
  /** Bytes and parsed text frames, no faster than they are taken; ends when the daemon closes, and fails where the connection drops. Read once. */
  readonly frames: AsyncIterable<Uint8Array | Out>
  /** Resolves once there is room for more. What is sent after the end goes nowhere. */
  send(frame: Uint8Array | In): Promise<void>
  /** Ends the connection at once. */
  close(): void
}

const deadAfterMs = 30_000
const longestMessage = 16 * 1024 * 1024

/** Opens one. A refusal is the fault that the daemon answers with. The signal ends it, also later. */
export async function openChannel(outgoing: Outgoing, signal: AbortSignal | undefined): Promise<Channel<unknown, unknown>> {
  const {url, headers} = outgoing
  // Of what goes through a terminal little can be compressed in time.
  const socket = new WebSocket(url, {headers: {...headers}, perMessageDeflate: false, maxPayload: longestMessage})
  const frames = readFrames(socket, signal)
  await opened(socket, outgoing)
  const onAbort = () => socket.terminate()
  signal?.addEventListener('abort', onAbort, {once: true})
  if (signal?.aborted === true) onAbort()
  socket.once('close', () => signal?.removeEventListener('abort', onAbort))
  return {
    frames: parsed(frames, url, signal),
    async send(frame) {
      if (frame instanceof Uint8Array) return sendBytes(socket, frame)
      socket.send(JSON.stringify(frame), () => undefined)
    },
    close: () => socket.terminate(),
  }
}

function opened(socket: WebSocket, outgoing: Outgoing): Promise<void> {
  const {url, signal} = outgoing
  return new Promise((resolve, reject) => {
    const onAbort = () => socket.terminate()
    signal.addEventListener('abort', onAbort, {once: true})
    if (signal.aborted) onAbort()
    socket.once('upgrade', ({socket: connection}) => connection.setKeepAlive(true, deadAfterMs))
    socket.once('open', () => {
      signal.removeEventListener('abort', onAbort)
      resolve()
    })
    socket.once('unexpected-response', (request, response) => void refusal(response, outgoing).then(reject, reject).finally(() => request.destroy()))
    // An error of later is told by the close that follows it.
    socket.on('error', (error) => reject(signal.aborted ? signal.reason : toTransportFault(error, url)))
  })
}

async function refusal(response: IncomingMessage, outgoing: Outgoing): Promise<Fault> {
  await readJson({status: response.statusCode ?? 0, headers: flattenHeaders(response.headers), body: response, discard: () => response.destroy()}, outgoing)
  return new Fault('UNEXPECTED_RESPONSE', `${outgoing.url.origin} did not open a WebSocket; does a proxy in between pass them on?`)
}

async function* parsed(frames: AsyncIterable<Buffer | string>, url: URL, signal: AbortSignal | undefined): AsyncGenerator<unknown> {
  try {
    for await (const frame of frames) yield typeof frame === 'string' ? JSON.parse(frame) : frame
  } catch (error) {
    if (signal?.aborted === true) throw signal.reason
    throw new Fault('DAEMON_NOT_RUNNING', `the connection to ${url.origin} dropped`, {suggestions: ['status'], cause: error})
  }
}
