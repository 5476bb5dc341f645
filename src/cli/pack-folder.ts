import {constants} from 'node:fs'
import {open} from 'node:fs/promises'
import path from 'node:path'
import {pipeline} from 'node:stream'
import {createGzip} from 'node:zlib'
import {Fault} from '../contract/faults.js'
import {tarBlockBytes, type TarEntry} from '../tree/tar-header.js'
import {tarStream, type TarItem} from '../tree/tar-stream.js'

export interface PackWish {
  readonly folder: string
  readonly entries: readonly TarEntry[]
  readonly signal: AbortSignal
  /** Told how many bytes of files have been read so far. */
  readonly onRead?: (bytes: number) => void
}

/** The size of all files together. */
export function sizeOfFiles(entries: readonly TarEntry[]): number {
  return entries.reduce((sum, {size}) => sum + size, 0)
}

/** What an archive of these entries can not be larger than before it is packed. */
export function sizeOfTar(entries: readonly TarEntry[]): number {
  // A header, what fills the last block, and for long names a header more with its text.
  return entries.reduce((sum, {path: place, target = '', size}) => sum + size + 5 * tarBlockBytes + 4 * (place.length + target.length), 2 * tarBlockBytes)
}

/** A gzipped tar archive of a folder, made while it is taken. */
export async function* packFolder({folder, entries, signal, onRead}: PackWish): AsyncGenerator<Uint8Array> {
  let read = 0
  const count = (bytes: number) => onRead?.((read += bytes))
  const items = entries.map((entry): TarItem => ({...entry, content: () => readContent(path.join(folder, entry.path), {signal, count})}))
  const tar = tarStream(items, (item) => changed(item.path))
  const gzip = createGzip()
  // Whoever reads the archive hears of a failure.
  pipeline(tar, gzip.on('error', () => undefined), () => undefined)
  try {
    for await (const bytes of gzip as AsyncIterable<Uint8Array>) {
      signal.throwIfAborted()
      yield bytes
    }
  } finally {
    tar.destroy()
  }
}

/** How large the packed archive is; stops counting above a limit. */
export async function packedSize(wish: PackWish, limitBytes: number): Promise<number> {
  let size = 0
  for await (const bytes of packFolder(wish)) {
    size += bytes.length
    if (size > limitBytes) break
  }
  return size
}

async function* readContent(file: string, {signal, count}: {signal: AbortSignal; count: (bytes: number) => void}): AsyncGenerator<Uint8Array> {
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW).catch((error: unknown) => {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    throw code === 'ENOENT' || code === 'ELOOP' ? changed(file) : new Fault('USAGE', `can not read ${file} (${code})`, {details: {path: file, code}, cause: error})
  })
  try {
    for (;;) {
      signal.throwIfAborted()
      const {bytesRead, buffer} = await handle.read({buffer: Buffer.allocUnsafe(64 * 1024)})
      if (bytesRead === 0) return
      count(bytesRead)
      yield buffer.subarray(0, bytesRead)
    }
  } finally {
    await handle.close()
  }
}

function changed(file: string): Fault {
  return new Fault('CONFLICT', `${file} changed while it was sent; try again`, {details: {path: file}})
}
