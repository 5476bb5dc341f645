import {createHash} from 'node:crypto'
import path from 'node:path'
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
  const content = await readFiles(tree, at, signal)
  if (kind === 'file') return {name, content: content.map((file) => ({...file, path: name}))}
  return content.length === 0 ? undefined : {name, content: content.map((file) => ({...file, path: `${name}/${file.path}`}))}
}

async function readFiles(tree: SourceTree, place: string, signal: AbortSignal): Promise<MountedFile[]> {
  const files: MountedFile[] = []
  let total = 0
  for await (const file of tree.files(place, signal)) {
    total += file.size
    if (total > largestMounts) throw new Fault('COMPOSE_INVALID', `${place} is mounted into a service and holds more than ${largestMounts} bytes; build it into the image instead`, {details: {problems: []}})
    const pieces: Uint8Array[] = []
    for await (const piece of file.content()) pieces.push(piece)
    files.push({path: file.path, bytes: Buffer.concat(pieces), mode: file.mode & 0o111 ? 0o755 : readable})
  }
  return files
}
