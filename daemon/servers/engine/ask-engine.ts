import http, {type IncomingMessage} from 'node:http'
import {Readable, type Duplex} from 'node:stream'
import {CommandEnded, endWith} from '../channel-duplex.js'

export interface EngineRequest {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** Made by `enginePath`, so that no name leaves its place. */
  readonly path: string
  /** Objects and lists go as JSON; what is undefined is left away. */
  readonly query?: Readonly<Record<string, unknown>>
  /** A stream goes as a tar archive and is destroyed at the end; anything else as JSON. */
  readonly body?: object
  readonly headers?: Readonly<Record<string, string>>
  readonly signal: AbortSignal
}

/** Sends requests to one engine. */
export interface EngineHttp {
  /** Answers with the body still to be read. Rejects with EngineRefused, EngineLost, or what the connection could not be made for. */
  send(request: EngineRequest): Promise<IncomingMessage>
  /** The whole body, parsed; undefined where there is none. */
  json(request: EngineRequest): Promise<unknown>
  /** Takes the connection over: from the answer on it carries bytes both ways. The signal destroys it. */
  hijack(request: EngineRequest): Promise<Duplex>
}

/** The engine said no. */
export class EngineRefused extends Error {
  override readonly name = 'EngineRefused'
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** The connection to the engine broke before the answer was whole. */
export class EngineLost extends Error {
  override readonly name = 'EngineLost'
  /** It was an older connection, and nothing was answered on it. */
  wasKept = false
}

const longestBody = 64 * 1024 * 1024

/** `enginePath('containers', id, 'json')`; each part is one segment or, like the name of an image, several. */
export function enginePath(...parts: readonly string[]): string {
  // The engine decodes a path before it takes it apart, and cleans it; a name that climbs must not become another call.
  if (parts.some((part) => part.split('/').some((segment) => segment === '' || segment === '.' || segment === '..'))) throw new EngineRefused(400, `${JSON.stringify(parts.join(' '))} is no name`)
  return `/${parts.map((part) => part.split('/').map(encodeURIComponent).join('/')).join('/')}`
}

export function engineHttp(agent: http.Agent): EngineHttp {
  const send = (request: EngineRequest) => exchange(agent, request)
  return {
    send,
    async hijack(request) {
      const answer = await begin(agent, {...request, headers: {Connection: 'Upgrade', Upgrade: 'tcp'}})
      if (answer.statusCode === 101) return answer.socket
      throw (await refusalOf(answer)) ?? new EngineLost('the engine did not hand over the connection')
    },
    async json(request) {
      const text = await readText(await send(request), longestBody)
      if (text === '') return undefined
      try {
        return JSON.parse(text) as unknown
      } catch (error) {
        throw new EngineLost('what answers does not speak the language of the engine', {cause: error})
      }
    },
  }
}

const mostTries = 8

async function exchange(agent: http.Agent, request: EngineRequest): Promise<IncomingMessage> {
  const response = await beginOnLiving(agent, request)
  const refusal = await refusalOf(response)
  if (refusal === undefined) return response
  throw refusal
}

async function refusalOf(response: IncomingMessage): Promise<EngineRefused | undefined> {
  const status = response.statusCode ?? 0
  if (status < 400) return undefined
  const text = await readText(response, 64 * 1024)
  return new EngineRefused(status, messageOf(text) ?? `status ${status}`)
}

// Connections that were kept may have died unnoticed; what only reads is asked again until one answers or a new one fails.
async function beginOnLiving(agent: http.Agent, request: EngineRequest): Promise<IncomingMessage> {
  for (let tries = 1; ; tries++) {
    try {
      return await begin(agent, request)
    } catch (error) {
      if (!(error instanceof EngineLost) || !error.wasKept || request.method !== 'GET' || tries === mostTries) throw error
    }
  }
}

function begin(agent: http.Agent, {method, path, query = {}, body, headers, signal}: EngineRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const input = body instanceof Readable ? body : undefined
    const letGo = () => input?.destroy()
    if (signal.aborted) {
      letGo()
      return reject(signal.reason)
    }
    const text = body === undefined || input !== undefined ? undefined : JSON.stringify(body)
    const type = input === undefined ? 'application/json' : 'application/x-tar'
    const request = http.request({agent, method, path: path + queryText(query), host: 'engine', headers: {
      ...(body === undefined ? {} : {'Content-Type': type}), ...(text === undefined ? {} : {'Content-Length': Buffer.byteLength(text)}), ...headers,
    }})
    let answer: IncomingMessage | undefined
    // An answer that breaks off says nothing of why; the request does.
    const fail = (error: Error) => {
      answer?.destroy(lostFor(error))
      request.destroy(error)
      letGo()
      reject(lostFor(error))
    }
    const onAbort = () => fail(signal.reason as Error)
    signal.addEventListener('abort', onAbort, {once: true})
    request.on('error', fail)
    request.once('close', () => {
      signal.removeEventListener('abort', onAbort)
      letGo()
    })
    request.once('response', (response) => {
      answer = response
      response.on('error', () => undefined)
      resolve(response)
    })
    request.once('upgrade', (response, socket, head) => {
      if (head.length > 0) socket.unshift(head)
      endWith(socket, signal)
      resolve(response)
    })
    if (input === undefined) return request.end(text)
    input.on('error', fail)
    input.pipe(request)

    function lostFor(error: Error): Error {
      if (signal.aborted || error === input?.errored) return error
      const wasKept = request.reusedSocket && answer === undefined
      // The client that was a kept connection went with the engine: a new one says why.
      if (!(wasKept && error instanceof CommandEnded) && !('code' in error && isSocketError(error.code))) return error
      const lost = new EngineLost('the engine hung up', {cause: error})
      lost.wasKept = wasKept
      return lost
    }
  })
}

const socketErrors: readonly unknown[] = ['ECONNRESET', 'EPIPE', 'ECONNABORTED', 'ETIMEDOUT', 'ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_DESTROYED']

function isSocketError(code: unknown): boolean {
  return socketErrors.includes(code) || (typeof code === 'string' && code.startsWith('HPE_'))
}

function queryText(query: Readonly<Record<string, unknown>>): string {
  const pairs = Object.entries(query).flatMap(([name, value]): [string, string][] => (value === undefined ? [] : [[name, typeof value === 'object' ? JSON.stringify(value) : String(value)]]))
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs).toString()}`
}

/** The pieces of a body, or of a connection that was taken over; a break is never taken for its end. */
export async function* readPieces(response: Readable): AsyncGenerator<Buffer> {
  try {
    for await (const piece of response) yield piece as Buffer
  } catch (error) {
    if (error instanceof Error && 'code' in error && isSocketError(error.code)) throw new EngineLost('the engine hung up', {cause: error})
    throw error
  } finally {
    response.destroy()
  }
}

async function readText(response: IncomingMessage, mostBytes: number): Promise<string> {
  const pieces: Buffer[] = []
  let bytes = 0
  for await (const piece of readPieces(response)) {
    bytes += piece.length
    if (bytes > mostBytes) throw new EngineLost(`the engine answered with more than ${mostBytes} bytes`)
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString('utf8')
}

function messageOf(text: string): string | undefined {
  try {
    const parsed: unknown = JSON.parse(text)
    return typeof parsed === 'object' && parsed !== null && 'message' in parsed && typeof parsed.message === 'string' ? parsed.message : undefined
  } catch {
    // Not an engine's error; its text is all there is.
    return text.trim().slice(0, 500) || undefined
  }
}
