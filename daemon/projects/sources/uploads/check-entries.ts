import {foldersAbove, toEntryPath} from '../../../../src/tree/entry-path.js'
import {followLinks} from '../../../../src/tree/follow-links.js'
import {uploadFault} from './upload-fault.js'

/** What an archive says of an entry. */
export interface EntryHeader {
  readonly name: string
  /** Null for a kind that the reader does not know. */
  readonly type?: string | null | undefined
  readonly mode?: number | undefined
  readonly linkname?: string | null | undefined
  readonly pax?: unknown
}

export type CheckedEntry =
  | {readonly kind: 'file' | 'folder'; readonly path: string; readonly mode: number}
  | {readonly kind: 'link'; readonly path: string; readonly target: string}
  /** The same content as an earlier file. */
  | {readonly kind: 'copy'; readonly path: string; readonly mode: number; readonly of: string}

const kinds: ReadonlyMap<string, CheckedEntry['kind']> = new Map([['file', 'file'], ['contiguous-file', 'file'], ['directory', 'folder'], ['symlink', 'link'], ['link', 'copy']])
const permissions = 0o777
/** Of all names together, with those of folders that only stand in other paths. */
const mostNameLength = 64_000_000

/** Holds the entries of one archive against the rules, in their order. */
export class EntryChecker {
  readonly #mostEntries: number
  /** Kind by path; folders that only stand in other paths are here, too. */
  readonly #known = new Map<string, 'file' | 'folder' | 'link'>()
  readonly #links = new Map<string, string>()
  #count = 0
  #nameLength = 0

  constructor(mostEntries: number) {
    this.#mostEntries = mostEntries
  }

  /** What is to be done with an entry; undefined where that is nothing. Setuid bits and the like do not come along. */
  check({name, type, mode = 0o644, linkname, pax}: EntryHeader): CheckedEntry | undefined {
    if ((this.#count += 1) > this.#mostEntries) throw uploadFault('too-many', `the archive holds more than ${this.#mostEntries} entries`, {mostEntries: this.#mostEntries})
    const kind = kinds.get(type ?? '')
    const isSparse = typeof pax === 'object' && pax !== null && Object.keys(pax).some((key) => key.startsWith('GNU.sparse'))
    if (kind === undefined || isSparse) throw uploadFault('kind', `${shown(name)} is ${isSparse ? 'a sparse file' : (type ?? 'of an unknown kind')}; only files, folders and links are taken`, {path: name})
    const path = pathOf(name)
    if (path === '') return refuseTop(kind)
    if (!this.#add(path, kind)) return undefined
    if (kind === 'file' || kind === 'folder') return {kind, path, mode: mode & permissions}
    return kind === 'link' ? this.#link(path, linkname ?? '') : this.#copy(path, linkname ?? '', mode & permissions)
  }

  /** Once all is known: no link may lead out, by whatever other links. */
  finish(): void {
    if (this.#known.size === 0) throw uploadFault('empty', 'the archive holds no files')
    for (const path of this.#links.keys()) {
      const followed = followLinks(path, (place) => this.#links.get(place))
      if ('fault' in followed && followed.fault === 'leads out') throw leadsOut(path, this.#links.get(path) ?? '')
    }
  }

  // False where it is a folder that is known already.
  #add(path: string, kind: CheckedEntry['kind']): boolean {
    for (const folder of foldersAbove(path)) {
      const known = this.#known.get(folder)
      if (known !== undefined && known !== 'folder') throw uploadFault('duplicate', `${shown(path)} lies below ${shown(folder)}, which is no folder`, {path})
      if (known === undefined) this.#remember(folder, 'folder')
    }
    const known = this.#known.get(path)
    if (known === 'folder' && kind === 'folder') return false
    if (known !== undefined) throw uploadFault('duplicate', `${shown(path)} is there twice`, {path})
    this.#remember(path, kind === 'copy' ? 'file' : kind)
    return true
  }

  #remember(path: string, kind: 'file' | 'folder' | 'link'): void {
    this.#nameLength += path.length
    if (this.#nameLength > mostNameLength) throw uploadFault('too-many', `the names in the archive take more than ${mostNameLength} characters`, {mostNameLength})
    this.#known.set(path, kind)
  }

  #link(path: string, target: string): CheckedEntry {
    if (target === '' || target.startsWith('/') || target.includes('\0') || target.includes('\uFFFD')) throw leadsOut(path, target)
    this.#links.set(path, target)
    return {kind: 'link', path, target}
  }

  #copy(path: string, target: string, mode: number): CheckedEntry {
    const of = pathOf(target)
    if (of === path || this.#known.get(of) !== 'file') throw uploadFault('link', `${shown(path)} is a hard link to ${shown(target)}, which is no file before it in the archive`, {path, target})
    return {kind: 'copy', path, mode, of}
  }
}

function refuseTop(kind: CheckedEntry['kind']): undefined {
  if (kind !== 'folder') throw uploadFault('path', 'an entry of the archive has no name')
  return undefined
}

function pathOf(name: string): string {
  const named = toEntryPath(name)
  if ('path' in named) return named.path
  const why = {'absolute': 'is an absolute path', 'leads out': 'leads out of the archive', 'unreadable': 'is no UTF-8', 'too long': 'is too long'}[named.fault]
  throw uploadFault('path', `${shown(name)} ${why}`, {path: name.slice(0, 300)})
}

function leadsOut(path: string, target: string): Error {
  return uploadFault('link', `the link ${shown(path)} to ${shown(target)} leads out of the archive; leave it out with .dockerignore`, {path, target: target.slice(0, 300)})
}

function shown(text: string): string {
  return /^[\x21-\x7e]{1,200}$/.test(text) ? text : JSON.stringify(text.slice(0, 200))
}
