import {createServer, type IncomingMessage, type RequestListener, type Server} from 'node:http'
import type {AddressInfo} from 'node:net'
import {onTestFinished} from 'vitest'

export interface TestServer {
  readonly url: string
  readonly server: Server
  /** Of every request so far: method, path with query, headers and body. */
  readonly requests: {readonly method: string; readonly url: string; readonly headers: IncomingMessage['headers']; readonly body: string}[]
}

/** A plain server on a free port that answers as the test says. */
export async function startTestServer(answer: RequestListener): Promise<TestServer> {
  const requests: TestServer['requests'] = []
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8')
    request.on('data', (piece: string) => (body += piece))
    request.on('end', () => {
      requests.push({method: request.method ?? '', url: request.url ?? '', headers: request.headers, body})
      answer(request, response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const {port} = server.address() as AddressInfo
  return {url: `http://127.0.0.1:${port}`, server, requests}
}

export function json(status: number, body: unknown, headers: Record<string, string> = {}): RequestListener {
  return (_, response) => response.writeHead(status, {'content-type': 'application/json; charset=utf-8', ...headers}).end(JSON.stringify(body))
}

/** Answers each request with the next of the list; the last one stays. */
export function inTurn(...answers: RequestListener[]): RequestListener {
  let next = 0
  return (request, response) => {
    answers[Math.min(next, answers.length - 1)]?.(request, response)
    next += 1
  }
}
