import {createHash} from 'node:crypto'
import {constants} from 'node:fs'
import {lstat, open, readdir, readlink, realpath, type FileHandle} from 'node:fs/promises'
import path from 'node:path'
import {Fault} from '../../../src/contract/faults.js'
import {toEntryPath} from '../../../src/tree/entry-path.js'
import {systemCode} from '../../store/disk.js'
import {indexedTree} from './indexed-tree.js'
import type {SourceTree} from './source.js'
import {sourceFault} from './source-fault.js'
import {identityOf, TreeIndex, type IndexEntry} from './tree-index.js'

export interface FolderRules {
  /** The home of the daemon: no folder within it and none that holds it is ever read. */
  readonly home: string
  readonly isAllowed: boolean
  readonly mostEntries: number
}

/** A folder of the machine of the daemon. Links in it are kept as links; nothing outside is read. */
export async function openFolder(folder: string, {home, isAllowed, mostEntries}: FolderRules, signal: AbortSignal): Promise<SourceTree> {
  if (!isAllowed) throw sourceFault('folder', 'folders of the machine of the daemon can not be deployed on this instance')
  if (!path.isAbsolute(folder)) throw sourceFault('folder', `${folder} is not an absolute path`, {details: {folder}})
  const root = await findFolder(folder)
  const ownHome = await realpath(home)
  if (isWithin(root, ownHome) || isWithin(ownHome, root)) throw sourceFault('folder', `${folder} holds what belongs to the daemon itself, or lies in it`, {details: {folder}})
  const index = new TreeIndex(await listEntries(root, mostEntries, signal))
  return indexedTree({
    kind: 'folder', commitSha: null, commitMessage: null, branch: null, treeId: `folder:${identityOf(index.entries)}`, index,
    openReader: (reading) => ({read: (entry) => readFile(root, entry.path, reading), close: async () => undefined}),
    changedSince: async () => null,
    dispose: async () => undefined,
  })
}

async function listEntries(root: string, mostEntries: number, signal: AbortSignal): Promise<IndexEntry[]> {
  const entries: IndexEntry[] = []
  try {
    for await (const entry of walk(root, '', signal)) {
      if (entries.length === mostEntries) throw sourceFault('too-large', `${root} holds more than ${mostEntries} files`, {details: {folder: root, mostEntries}})
      entries.push(entry)
    }
  } catch (error) {
    signal.throwIfAborted()
    throw toReadFault(error, root)
  }
  return entries
}

async function findFolder(folder: string): Promise<string> {
  try {
    const root = await realpath(folder)
    if ((await lstat(root)).isDirectory()) return root
  } catch (error) {
    throw sourceFault('folder', `${folder} can not be read on the machine of the daemon`, {details: {folder}, cause: error})
  }
  throw sourceFault('folder', `${folder} is no folder`, {details: {folder}})
}

function isWithin(inner: string, outer: string): boolean {
  const relative = path.relative(outer, inner)
  return relative === '' || (!relative.startsWith('..') && !path.isAbsolute(relative))
}

// Sockets, pipes, devices and names that are no text stay out, as no image can be built from them.
async function* walk(root: string, folder: string, signal: AbortSignal): AsyncGenerator<IndexEntry> {
  for (const {name} of await readdir(path.join(root, folder), {withFileTypes: true})) {
    signal.throwIfAborted()
    const named = toEntryPath(folder === '' ? name : `${folder}/${name}`)
    if ('fault' in named) continue
    const place = path.join(root, named.path)
    const stats = await lstat(place)
    const mode = stats.mode & 0o777
    if (stats.isDirectory()) {
      yield {path: named.path, type: 'folder', mode, size: 0, contentId: ''}
      yield* walk(root, named.path, signal)
    } else if (stats.isSymbolicLink()) {
      const target = await readlink(place)
      yield {path: named.path, type: 'link', mode: 0o777, size: 0, contentId: target, target}
    } else if (stats.isFile()) yield {path: named.path, type: 'file', mode, ...(await measure(root, named.path, signal))}
  }
}

async function measure(root: string, file: string, signal: AbortSignal): Promise<{size: number; contentId: string}> {
  const hash = createHash('sha256')
  let size = 0
  for await (const bytes of readFile(root, file, signal)) {
    hash.update(bytes)
    size += bytes.length
  }
  return {size, contentId: hash.digest('hex')}
}

async function* readFile(root: string, file: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const place = path.join(root, file)
  const handle = await open(place, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch((error: unknown) => {
    throw toReadFault(error, place)
  })
  try {
    await refuseOther(handle, place)
    for (;;) {
      signal.throwIfAborted()
      const {bytesRead, buffer} = await handle.read({buffer: Buffer.allocUnsafe(64 * 1024)})
      if (bytesRead === 0) return
      yield buffer.subarray(0, bytesRead)
    }
  } finally {
    await handle.close()
  }
}

function toReadFault(error: unknown, place: string): unknown {
  const code = error instanceof Fault ? undefined : systemCode(error)
  if (code === undefined) return error
  if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP') return sourceFault('changed', `${place} changed while it was read; deploy again`, {cause: error})
  return sourceFault('folder', `the daemon can not read all of ${place}: ${code}`, {details: {code}, cause: error})
}

// A folder on the way may have become a link since it was listed; then the open file is another one than was meant.
async function refuseOther(handle: FileHandle, place: string): Promise<void> {
  const opened = process.platform === 'linux' ? await readlink(`/proc/self/fd/${handle.fd}`) : await realpath(place)
  if (opened !== place || !(await handle.stat()).isFile()) throw sourceFault('changed', `${place} changed while it was read; deploy again`)
}
