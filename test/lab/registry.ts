import {createHash, randomBytes} from 'node:crypto'
import {createServer, type IncomingMessage, type ServerResponse} from 'node:http'
import type {AddressInfo} from 'node:net'
import {Readable} from 'node:stream'
import {buffer} from 'node:stream/consumers'
import {pack} from 'tar-stream'

// A registry of images, as far as an engine asks when it pulls. Engines of the lab take it without TLS:
//   const registry = await startRegistry({address: lab.gateway}); const ref = registry.add('shop', '1', [{hello: 'there'}]); … await registry.stop()

export interface RegistryCredentials {
  readonly username: string
  readonly password: string
}

export interface Registry {
  /** `address:port`, the start of every reference. */
  readonly host: string
  /** Adds an image of one layer for each set of files; answers with its reference. */
  add(name: string, tag: string, layers: readonly Readonly<Record<string, string | Buffer>>[]): Promise<string>
  /** Holds back what is asked for from now on, until it is called with false. */
  hold(held: boolean): void
  /** Paths that were asked for, with the user that asked. */
  readonly asked: readonly {readonly path: string; readonly user: string | null}[]
  stop(): Promise<void>
}

interface Blob {
  readonly type: string
  readonly bytes: Buffer
}

const types = {
  manifest: 'application/vnd.docker.distribution.manifest.v2+json',
  config: 'application/vnd.docker.container.image.v1+json',
  layer: 'application/vnd.docker.image.rootfs.diff.tar',
}

/** With credentials it asks for them by HTTP Basic. */
export async function startRegistry({address, credentials}: {readonly address: string; readonly credentials?: RegistryCredentials}): Promise<Registry> {
  const blobs = new Map<string, Blob>()
  const manifests = new Map<string, Blob>()
  const asked: {path: string; user: string | null}[] = []
  const waiting: (() => void)[] = []
  let isHeld = false
  const keep = (type: string, bytes: Buffer) => {
    const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`
    blobs.set(digest, {type, bytes})
    return {mediaType: type, size: bytes.length, digest}
  }
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    const path = decodeURIComponent(request.url ?? '')
    const user = userOf(request)
    if (credentials !== undefined && (user?.username !== credentials.username || user.password !== credentials.password)) {
      return refuse(response, 401, 'UNAUTHORIZED', {'WWW-Authenticate': 'Basic realm="lab"'})
    }
    if (path === '/v2/') return response.end('{}')
    const [, name = '', kind, wanted = ''] = /^\/v2\/(.+)\/(manifests|blobs)\/(.+)$/.exec(path) ?? []
    const found = kind === 'blobs' ? blobs.get(wanted) : (manifests.get(`${name}:${wanted}`) ?? blobs.get(wanted))
    if (found === undefined) return refuse(response, 404, kind === 'blobs' ? 'BLOB_UNKNOWN' : 'MANIFEST_UNKNOWN')
    const digest = `sha256:${createHash('sha256').update(found.bytes).digest('hex')}`
    response.writeHead(200, {'Content-Type': found.type, 'Content-Length': found.bytes.length, 'Docker-Content-Digest': digest})
    response.end(request.method === 'HEAD' ? undefined : found.bytes)
  }
  const server = createServer((request, response) => {
    response.setHeader('Docker-Distribution-Api-Version', 'registry/2.0')
    asked.push({path: decodeURIComponent(request.url ?? ''), user: userOf(request)?.username ?? null})
    if (isHeld) waiting.push(() => answer(request, response))
    else answer(request, response)
  })
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, address, resolve))
  const host = `${address}:${(server.address() as AddressInfo).port}`
  return {
    host,
    asked,
    async add(name, tag, layers) {
      const tars = await Promise.all(layers.map(toTar))
      const config = {architecture: process.arch === 'x64' ? 'amd64' : process.arch, os: 'linux', config: {Cmd: ['/bin/true'], Labels: {made: randomBytes(6).toString('hex')}}, rootfs: {type: 'layers', diff_ids: tars.map((tar) => `sha256:${createHash('sha256').update(tar).digest('hex')}`)}}
      const manifest = {schemaVersion: 2, mediaType: types.manifest, config: keep(types.config, Buffer.from(JSON.stringify(config))), layers: tars.map((tar) => keep(types.layer, tar))}
      const bytes = Buffer.from(JSON.stringify(manifest))
      keep(types.manifest, bytes)
      manifests.set(`${name}:${tag}`, {type: types.manifest, bytes})
      return `${host}/${name}:${tag}`
    },
    hold(held) {
      isHeld = held
      if (!held) for (const go of waiting.splice(0)) go()
    },
    stop: () => new Promise((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    }),
  }
}

function userOf({headers}: IncomingMessage): RegistryCredentials | undefined {
  const [, encoded] = /^Basic (.+)$/.exec(headers.authorization ?? '') ?? []
  if (encoded === undefined) return undefined
  const text = Buffer.from(encoded, 'base64').toString('utf8')
  const at = text.indexOf(':')
  return {username: text.slice(0, at), password: text.slice(at + 1)}
}

function refuse(response: ServerResponse, status: number, code: string, headers: Record<string, string> = {}): void {
  response.writeHead(status, {'Content-Type': 'application/json', ...headers})
  response.end(JSON.stringify({errors: [{code, message: code.toLowerCase().replaceAll('_', ' ')}]}))
}

async function toTar(files: Readonly<Record<string, string | Buffer>>): Promise<Buffer> {
  const tar = pack()
  for (const [name, content] of Object.entries(files)) tar.entry({name, mode: 0o755, mtime: new Date(0)}, content)
  tar.finalize()
  return buffer(Readable.from(tar))
}
