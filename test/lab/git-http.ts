import {spawn} from 'node:child_process'
import {createServer, type IncomingMessage, type ServerResponse} from 'node:http'
import type {Readable} from 'node:stream'
import {gitEnvironment} from './git-repository.js'

export interface GitCredentials {
  readonly user: string
  readonly password: string
}

export interface GitHttpWish {
  readonly folder: string
  readonly address: string
  /** Without them everybody may read. */
  readonly credentials?: GitCredentials
}

export interface GitHttp {
  readonly port: number
  close(): Promise<void>
}

/** The repositories of a folder over HTTP, by git's own `http-backend`. */
export async function startGitHttp({folder, address, credentials}: GitHttpWish): Promise<GitHttp> {
  const server = createServer((request, response) => {
    if (credentials === undefined || isFrom(credentials, request)) return answer(folder, request, response)
    request.resume()
    response.writeHead(401, {'WWW-Authenticate': 'Basic realm="lab"'}).end('who are you?\n')
  })
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, address, resolve))
  const bound = server.address()
  if (typeof bound !== 'object' || bound === null) throw new Error('no port')
  return {
    port: bound.port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function isFrom({user, password}: GitCredentials, request: IncomingMessage): boolean {
  return request.headers.authorization === `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
}

function answer(folder: string, request: IncomingMessage, response: ServerResponse): void {
  const {pathname, search} = new URL(request.url ?? '/', 'http://lab')
  const header = (name: string) => String(request.headers[name] ?? '')
  const child = spawn('git', ['http-backend'], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: {
      ...gitEnvironment,
      GIT_PROJECT_ROOT: folder,
      GIT_HTTP_EXPORT_ALL: '1',
      GIT_PROTOCOL: header('git-protocol'),
      PATH_INFO: decodeURIComponent(pathname),
      QUERY_STRING: search.slice(1),
      REQUEST_METHOD: request.method ?? 'GET',
      CONTENT_TYPE: header('content-type'),
      CONTENT_LENGTH: header('content-length'),
      HTTP_CONTENT_ENCODING: header('content-encoding'),
      REMOTE_ADDR: request.socket.remoteAddress ?? '',
    },
  })
  child.once('error', () => response.destroy())
  // A client may go, and git may end, before everything has been read.
  request.pipe(child.stdin.on('error', () => undefined))
  response.once('close', () => child.kill())
  passOn(child.stdout, response)
}

/** CGI: headers, an empty line, the body; the status is a header, too. */
function passOn(output: Readable, response: ServerResponse): void {
  let head = Buffer.alloc(0)
  const onData = (chunk: Buffer) => {
    head = Buffer.concat([head, chunk])
    const end = head.indexOf('\r\n\r\n')
    if (end < 0) return
    output.off('data', onData).pause()
    for (const line of head.toString('latin1', 0, end).split('\r\n')) {
      const [, name = '', value = ''] = /^([^:]+):\s*(.*)$/.exec(line) ?? []
      if (name.toLowerCase() === 'status') response.statusCode = Number(value.slice(0, 3))
      else response.setHeader(name, value)
    }
    response.write(head.subarray(end + 4))
    output.pipe(response)
  }
  output.on('data', onData).once('end', () => response.headersSent || response.writeHead(500).end())
}
