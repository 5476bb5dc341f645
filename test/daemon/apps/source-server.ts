import {once} from 'node:events'
import {readFile} from 'node:fs/promises'
import http, {type IncomingMessage, type ServerResponse} from 'node:http'
import https from 'node:https'
import type {AddressInfo} from 'node:net'
import path from 'node:path'
import {onTestFinished} from 'vitest'
import {runCommand} from '../../lab/lab-processes.js'
import {temporaryFolder} from '../start-test-daemon.js'

export type Answer = (request: IncomingMessage, response: ServerResponse) => void

export interface SourceServer {
  readonly url: URL
  readonly requests: readonly IncomingMessage[]
  /** How it answers from now on. */
  answer: Answer
  /** Settles when so many requests have come in. */
  untilAsked(count: number): Promise<void>
  stop(): Promise<void>
}

export interface Certificate {
  readonly key: string
  readonly cert: string
  readonly certFile: string
}

/** A certificate for this machine that nobody but itself has signed. */
export async function selfSigned(): Promise<Certificate> {
  const folder = await temporaryFolder()
  const [keyFile, certFile] = [path.join(folder, 'key.pem'), path.join(folder, 'cert.pem')]
  await runCommand('openssl', [
    'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', keyFile, '-out', certFile, '-days', '2',
    '-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1',
  ])
  return {key: await readFile(keyFile, 'utf8'), cert: await readFile(certFile, 'utf8'), certFile}
}

/** A server of catalogs on this machine; over TLS where it is given a certificate. */
export async function startSource(answer: Answer, certificate?: Certificate): Promise<SourceServer> {
  const requests: IncomingMessage[] = []
  const waiting: (() => void)[] = []
  const handle: Answer = (request, response) => {
    requests.push(request)
    waiting.forEach((look) => look())
    source.answer(request, response)
  }
  const server = certificate === undefined ? http.createServer(handle) : https.createServer({key: certificate.key, cert: certificate.cert}, handle)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const {port} = server.address() as AddressInfo
  const source: SourceServer = {
    url: new URL(`${certificate === undefined ? 'http' : 'https'}://127.0.0.1:${port}/catalog.json`),
    requests,
    answer,
    untilAsked: (count) =>
      new Promise((resolve) => {
        const look = () => {
          if (requests.length >= count) resolve()
        }
        waiting.push(look)
        look()
      }),
    async stop() {
      if (!server.listening) return
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
  onTestFinished(() => source.stop())
  return source
}

/** Answers a text, with an ETag of it where asked to; 304 to whoever has it. */
export function serving(text: string, etag?: string): Answer {
  return (request, response) => {
    if (etag !== undefined && request.headers['if-none-match'] === etag) {
      response.writeHead(304, {etag}).end()
      return
    }
    response.writeHead(200, {'content-type': 'application/json', ...(etag !== undefined && {etag})}).end(text)
  }
}

/** Redirects to an address. */
export function redirecting(location: string, status = 302): Answer {
  return (_request, response) => response.writeHead(status, {location}).end()
}
