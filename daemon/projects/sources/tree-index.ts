import {createHash} from 'node:crypto'
import {toEntryPath} from '../../../src/tree/entry-path.js'
import {followLinks} from '../../../src/tree/follow-links.js'
import {sourceFault} from './source-fault.js'

/** A file, link or folder of a tree. */
export interface IndexEntry {
  readonly path: string
  readonly type: 'file' | 'folder' | 'link'
  /** Permission bits. */
  readonly mode: number
  readonly size: number
  /** The same for the same content; of a link where it leads. Empty for a folder. */
  readonly contentId: string
  /** Where a link leads, as it is written. */
  readonly target?: string
}

export type Found<E extends IndexEntry> = {readonly kind: 'file'; readonly entry: E} | {readonly kind: 'folder'; readonly path: string}

/** Entries of a tree by path. Links are followed by what the tree holds, so that none leads out of it. */
export class TreeIndex<E extends IndexEntry> {
  /** Sorted by path. */
  readonly entries: readonly E[]
  readonly #byPath: ReadonlyMap<string, E>
  readonly #folders: ReadonlySet<string>

  constructor(entries: readonly E[]) {
    this.entries = [...entries].sort((a, b) => (a.path < b.path ? -1 : 1))
    this.#byPath = new Map(entries.map((entry) => [entry.path, entry]))
    this.#folders = foldersOf(entries)
  }

  /** What stands at a path as a person writes it. */
  find(path: string): Found<E> | undefined {
    const named = toEntryPath(path)
    const followed = 'fault' in named ? named : followLinks(named.path, (place) => this.#targetAt(place))
    if ('fault' in followed) return undefined
    const {path: place} = followed
    const entry = this.#byPath.get(place)
    if (entry?.type === 'file') return {kind: 'file', entry}
    return place === '' || this.#folders.has(place) ? {kind: 'folder', path: place} : undefined
  }

  #targetAt(path: string): string | undefined {
    const entry = this.#byPath.get(path)
    return entry?.type === 'link' ? (entry.target ?? '') : undefined
  }

  /** Everything below a folder, however deep, in order. */
  below(folder: string): readonly E[] {
    if (folder === '') return this.entries
    // Paths below a folder stand together: '0' is the character after '/'.
    return this.entries.slice(this.#firstFrom(`${folder}/`), this.#firstFrom(`${folder}0`))
  }

  #firstFrom(path: string): number {
    let low = 0
    let high = this.entries.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.entries[middle]?.path ?? '') < path) low = middle + 1
      else high = middle
    }
    return low
  }
}

const mostNameLength = 64_000_000

// Each folder once, from the nearest up to one that is known: a path may name hundreds of them.
function foldersOf(entries: readonly IndexEntry[]): ReadonlySet<string> {
  const folders = new Set<string>()
  let nameLength = 0
  for (const {path, type} of entries) {
    for (let end = type === 'folder' ? path.length : path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
      const folder = path.slice(0, end)
      if (folders.has(folder)) break
      nameLength += folder.length
      if (nameLength > mostNameLength) throw sourceFault('too-large', `the names of folders in the source take more than ${mostNameLength} characters`, {details: {mostNameLength}})
      folders.add(folder)
    }
  }
  return folders
}

/** The same for entries that are the same, in this order. */
export function identityOf(entries: Iterable<IndexEntry>): string {
  const hash = createHash('sha256')
  for (const {path, type, mode, contentId} of entries) hash.update(`${type} ${mode.toString(8)} ${contentId.length} ${contentId} ${path}\0`)
  return hash.digest('hex')
}
