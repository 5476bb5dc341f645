import {createHash, randomBytes} from 'node:crypto'
import {request as httpRequest, type IncomingMessage} from 'node:http'
import type {Duplex} from 'node:stream'
import {Fault} from '../contract/faults.js'
import {readJson, type Outgoing} from './send.js'
import {encodeFrame, MessageReader, opcodes} from './socket-frames.js'
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

const acceptSalt = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'
const deadAfterMs = 30_000

/** Opens one. A refusal is the fault that the daemon answers with. The signal ends it, also later. */
export async function openChannel(outgoing: Outgoing, signal: AbortSignal | undefined): Promise<Channel<unknown, unknown>> {
  const socket = await upgrade(outgoing)
  const onAbort = () => socket.destroy()
  signal?.addEventListener('abort', onAbort, {once: true})
  if (signal?.aborted === true) onAbort()
  socket.on('error', () => undefined).once('close', () => signal?.removeEventListener('abort', onAbort))
  return {
    frames: readFrames(socket, outgoing.url, signal),
    send: (frame) => (frame instanceof Uint8Array ? write(socket, encodeFrame(opcodes.binary, frame)) : write(socket, encodeFrame(opcodes.text, Buffer.from(JSON.stringify(frame))))),
    close: () => socket.destroy(),
  }
}

async function upgrade(outgoing: Outgoing): Promise<Duplex> {
  const {url, headers, signal} = outgoing
  const start = url.protocol === 'https:' ? (await import('node:https')).request : httpRequest
  const key = randomBytes(16).toString('base64')
  const accepted = createHash('sha1').update(key + acceptSalt).digest('base64')
  return new Promise((resolve, reject) => {
    const request = start(url, {agent: false, signal, headers: {...headers, connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13', 'sec-websocket-key': key}})
    request.once('upgrade', (response, socket, head) => {
      if (response.headers['sec-websocket-accept'] !== accepted) {
        socket.destroy()
        return reject(new Fault('UNEXPECTED_RESPONSE', `${url.origin} answered with something else than a WebSocket`))
      }
      if (head.length > 0) socket.unshift(head)
      socket.setKeepAlive(true, deadAfterMs)
      socket.setNoDelay(true)
      resolve(socket)
    })
    request.once('response', (response) => void refusal(response, outgoing).then(reject, reject))
    request.once('error', (error) => reject(signal.aborted ? signal.reason : toTransportFault(error, url)))
    request.end()
  })
}

async function refusal(response: IncomingMessage, outgoing: Outgoing): Promise<Fault> {
  await readJson({status: response.statusCode ?? 0, headers: flattenHeaders(response.headers), body: response, discard: () => response.destroy()}, outgoing)
  return new Fault('UNEXPECTED_RESPONSE', `${outgoing.url.origin} did not open a WebSocket; does a proxy in between pass them on?`)
}

async function* readFrames(socket: Duplex, url: URL, signal: AbortSignal | undefined): AsyncGenerator<unknown> {
  const reader = new MessageReader()
  try {
    for await (const bytes of socket) {
      for (const {opcode, payload} of reader.push(bytes as Buffer)) {
        if (opcode === opcodes.close) {
          void write(socket, encodeFrame(opcodes.close, payload))
          return
        }
        if (opcode === opcodes.ping) await write(socket, encodeFrame(opcodes.pong, payload))
        if (opcode === opcodes.binary) yield payload
        if (opcode === opcodes.text) yield JSON.parse(payload.toString('utf8'))
      }
    }
  } catch (error) {
    throw signal?.aborted === true ? signal.reason : dropped(url, error)
  }
  throw dropped(url)
}

function dropped(url: URL, cause?: unknown): Fault {
  return new Fault('DAEMON_NOT_RUNNING', `the connection to ${url.origin} dropped`, {suggestions: ['status'], cause})
}

function write(socket: Duplex, bytes: Buffer): Promise<void> {
  return new Promise((resolve) => {
    if (!socket.writable || socket.write(bytes)) return resolve()
    const go = () => {
      socket.off('drain', go).off('close', go)
      resolve()
    }
    socket.on('drain', go).on('close', go)
  })
}
