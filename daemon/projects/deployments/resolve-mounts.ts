import {createHash} from 'node:crypto'
import path from 'node:path'
import tar from 'tar-stream'
import type {ComposeMount, ComposeService} from '../../../src/compose/compose-model.js'
import {Fault} from '../../../src/contract/faults.js'
import type {SourceTree} from '../sources/source.js'
import type {ReleaseFiles} from './release-book.js'
import {dataFolderName} from './release-folders.js'

export interface MountContext {
  /** Folder of the project on the server. */
  readonly folder: string
  readonly tree: SourceTree | null
  readonly signal: AbortSignal
}

export interface ResolvedMounts {
  /** Path on the server by path in the container. */
  readonly hostPaths: Readonly<Record<string, string>>
  readonly files: ReleaseFiles
}

interface MountedFile {
  readonly path: string
  readonly bytes: Buffer
  readonly mode: number
}

const largestMounts = 20_000_000
// Whoever a container runs as has to read them; the folder above lets nobody else of the server in.
const readable = 0o644

/** Where on the server the files of a service lie that its containers see. Their place is named after their content, so that a file that did not change moves no container. */
export async function resolveMounts(service: ComposeService, context: MountContext): Promise<ResolvedMounts> {
  const hostPaths: Record<string, string> = {}
  const files: Record<string, ReleaseFiles[string]> = {}
  const place = (target: string, name: string, content: readonly MountedFile[]) => {
    const folder = `files/${hashOf(content)}`
    for (const file of content) files[`${folder}/${file.path}`] = {base64: file.bytes.toString('base64'), mode: file.mode}
    hostPaths[target] = `${context.folder}/${folder}/${name}`
  }
  for (const mount of service.mounts) {
    if (mount.type !== 'bind' || mount.source?.startsWith('./') !== true) continue
    const found = await readMounted(mount, context)
    // What the source does not have is data that the service makes: it stays in one place, whatever the release.
    if (found === undefined) hostPaths[mount.target] = `${context.folder}/${dataFolderName}/${mount.source.slice(2)}`
    else place(mount.target, found.name, found.content)
  }
  for (const {target, content, mode} of service.files ?? []) {
    const name = path.posix.basename(target)
    place(target, name, [{path: name, bytes: Buffer.from(content), mode: Number.parseInt(mode, 8)}])
  }
  return {hostPaths, files}
}

function hashOf(files: readonly MountedFile[]): string {
  const hash = createHash('sha256')
  for (const {path: name, bytes, mode} of [...files].sort((a, b) => (a.path < b.path ? -1 : 1))) hash.update(`${name}\0${mode.toString(8)}\0${bytes.length}\0`).update(bytes)
  return hash.digest('hex').slice(0, 16)
}

async function readMounted(mount: ComposeMount, {tree, signal}: MountContext): Promise<{readonly name: string; readonly content: readonly MountedFile[]} | undefined> {
  const source = mount.source?.slice(2) ?? ''
  const at = source === '' ? '.' : source
  const kind = tree === null ? undefined : await tree.has(at)
  if (tree === null || kind === undefined) return undefined
  const name = at === '.' ? 'source' : path.posix.basename(at)
  if (kind === 'folder') {
    const content = await readFolder(tree, at, signal)
    return content.length === 0 ? undefined : {name, content: content.map((file) => ({...file, path: `${name}/${file.path}`}))}
  }
  const inFolder = await readFolder(tree, path.posix.dirname(at), signal, (file) => file === name)
  return {name, content: inFolder}
}

// As a tar, because that is how a tree gives bytes with their modes.
async function readFolder(tree: SourceTree, folder: string, signal: AbortSignal, wants: (name: string) => boolean = () => true): Promise<MountedFile[]> {
  const files: MountedFile[] = []
  let total = 0
  const extract = tar.extract()
  // Nothing is named so: no .dockerignore of the source is meant for mounts.
  tree.pack(folder, {dockerfile: 'Dockerfile', signal}).on('error', (error) => extract.destroy(error)).pipe(extract)
  for await (const entry of extract) {
    const {name, mode, type} = entry.header
    const clean = name.replace(/^\.\//, '')
    if (type !== 'file' || !wants(clean)) {
      entry.resume()
      continue
    }
    const pieces: Buffer[] = []
    for await (const piece of entry as AsyncIterable<Buffer>) pieces.push(piece)
    const bytes = Buffer.concat(pieces)
    total += bytes.length
    if (total > largestMounts) throw new Fault('COMPOSE_INVALID', `${folder} is mounted into a service and holds more than ${largestMounts} bytes; build it into the image instead`, {details: {problems: []}})
    files.push({path: clean, bytes, mode: (mode ?? readable) & 0o111 ? 0o755 : readable})
  }
  return files
}
