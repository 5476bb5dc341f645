import {Fault} from '../../../src/contract/faults.js'
import {tarStream, type TarItem} from '../../../src/tree/tar-stream.js'
import {selectContext, type ContextEntry} from './build-context.js'
import {withDockerfile} from './inline-dockerfile.js'
import type {SourceTree, TreeFile} from './source.js'
import {sourceFault} from './source-fault.js'
import {identityOf, type IndexEntry, type TreeIndex} from './tree-index.js'

/** Reads contents of a tree, one after another. */
export interface ContentReader<E extends IndexEntry> {
  read(entry: E): AsyncIterable<Uint8Array>
  close(): Promise<void>
}

/** What each kind of source brings; the rest is the same for all. */
export interface TreeParts<E extends IndexEntry> extends Pick<SourceTree, 'kind' | 'commitSha' | 'commitMessage' | 'branch' | 'treeId' | 'changedSince' | 'dispose'> {
  readonly index: TreeIndex<E>
  openReader(signal: AbortSignal): ContentReader<E>
}

const largestIgnoreFile = 1_000_000
const folderMode = 0o755

/** A tree of an index and something that reads the contents. */
export function indexedTree<E extends IndexEntry>(parts: TreeParts<E>): SourceTree {
  const {index, openReader, ...rest} = parts
  const readText = (path: string, maxBytes: number) => readTextOf(parts, path, maxBytes)
  const select = (folder: string, dockerfile: string) => selectContext(index, {folder, dockerfile, readText: (path) => readText(path, largestIgnoreFile)})
  return {
    ...rest,
    readText,
    async has(path) {
      return index.find(path)?.kind
    },
    async list(folder) {
      const found = index.find(folder)
      return found?.kind === 'folder' ? index.below(found.path).filter(({type}) => type !== 'folder').map(({path}) => path) : []
    },
    files: (path, signal) => filesAt(parts, path, signal),
    pack(folder, {dockerfile, dockerfileText, signal}) {
      const items = packItems(parts, () => select(folder, dockerfile), signal)
      const withText = async function* (text: string) {
        yield* withDockerfile(items, {path: dockerfile, text, ignored: await readText(`${folder}/.dockerignore`, largestIgnoreFile)})
      }
      const stream = tarStream(dockerfileText === undefined ? items : withText(dockerfileText), changedWhileRead)
      const onAbort = () => stream.destroy(toError(signal.reason))
      if (signal.aborted) onAbort()
      signal.addEventListener('abort', onAbort, {once: true})
      return stream.once('close', () => signal.removeEventListener('abort', onAbort))
    },
    async contextId(folder, {dockerfile}) {
      return identityOf((await select(folder, dockerfile)).map(({path, entry}) => ({...(entry ?? impliedFolder), path})))
    },
  }
}

const impliedFolder = {type: 'folder', mode: folderMode, size: 0, contentId: ''} as const

async function readTextOf<E extends IndexEntry>({index, openReader}: TreeParts<E>, path: string, maxBytes: number): Promise<string | undefined> {
  const found = index.find(path)
  if (found?.kind !== 'file') return undefined
  if (found.entry.size > maxBytes) {
    throw new Fault('COMPOSE_INVALID', `${path} is larger than ${maxBytes} bytes`, {details: {path, sizeBytes: found.entry.size, maxBytes}})
  }
  const reader = openReader(new AbortController().signal)
  try {
    const pieces: Uint8Array[] = []
    for await (const bytes of reader.read(found.entry)) pieces.push(bytes)
    return Buffer.concat(pieces).toString('utf8')
  } finally {
    await reader.close()
  }
}

async function* filesAt<E extends IndexEntry>({index, openReader}: TreeParts<E>, path: string, signal: AbortSignal): AsyncGenerator<TreeFile> {
  const found = index.find(path)
  if (found === undefined) return
  const places = found.kind === 'file' ? [path] : index.below(found.path).filter(({type}) => type !== 'folder').map((entry) => entry.path)
  const prefix = found.kind === 'file' ? path.slice(0, path.lastIndexOf('/') + 1) : found.path === '' ? '' : `${found.path}/`
  const reader = openReader(signal)
  try {
    for (const place of places) {
      const file = index.find(place)
      if (file?.kind === 'file') yield {path: place.slice(prefix.length), mode: file.entry.mode, size: file.entry.size, content: () => reader.read(file.entry)}
    }
  } finally {
    await reader.close()
  }
}

async function* packItems<E extends IndexEntry>({openReader}: TreeParts<E>, select: () => Promise<ContextEntry<E>[]>, signal: AbortSignal): AsyncGenerator<TarItem> {
  const entries = await select()
  const reader = openReader(signal)
  try {
    for (const {path, entry} of entries) {
      signal.throwIfAborted()
      if (entry === undefined) yield {...impliedFolder, path, content: noContent}
      else yield {path, type: entry.type, mode: entry.mode, size: entry.size, ...(entry.target !== undefined && {target: entry.target}), content: () => reader.read(entry)}
    }
  } finally {
    await reader.close()
  }
}

async function* noContent(): AsyncGenerator<Uint8Array> {}

function changedWhileRead({path}: TarItem): Error {
  return sourceFault('changed', `${path} changed while it was read; deploy again`, {details: {path}})
}

function toError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason))
}
