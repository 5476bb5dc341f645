import type {Readable} from 'node:stream'
import {text} from 'node:stream/consumers'
import {extract} from 'tar-stream'

export interface PackedEntry {
  readonly mode: number
  /** Content of a file, where a link leads, or a slash for a folder. */
  readonly holds: string
}

/** What is in a tar stream, by path and in order. */
export async function entriesOf(archive: Readable): Promise<Map<string, PackedEntry>> {
  const found = new Map<string, PackedEntry>()
  const reader = extract()
  archive.on('error', (error) => reader.destroy(error)).pipe(reader)
  for await (const entry of reader) {
    const {name, mode = 0, type, linkname} = entry.header
    const content = await text(entry)
    found.set(name.replace(/\/$/, ''), {mode, holds: type === 'directory' ? '/' : type === 'symlink' ? `-> ${linkname}` : content})
  }
  return found
}

/** The same as `path: content` lines, for looking at. */
export async function packedText(archive: Readable): Promise<Record<string, string>> {
  return Object.fromEntries([...(await entriesOf(archive))].map(([path, {holds}]) => [path, holds]))
}

export const idle = new AbortController().signal
