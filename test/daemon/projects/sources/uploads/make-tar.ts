import {gzipSync} from 'node:zlib'
import {buffer} from 'node:stream/consumers'
import {pack, type Header} from 'tar-stream'

export type Entry = Partial<Header> & {readonly name: string; readonly text?: string}

/** A tar archive of whatever is asked for, allowed or not. */
export async function tarOf(entries: readonly Entry[]): Promise<Buffer> {
  const archive = pack()
  for (const {text = '', ...header} of entries) {
    if (header.type === undefined || header.type === 'file') archive.entry({...header}, text)
    else archive.entry({...header})
  }
  archive.finalize()
  return buffer(archive)
}

export async function gzipOf(entries: readonly Entry[]): Promise<Buffer> {
  return gzipSync(await tarOf(entries))
}

/** The bytes in pieces of a size, as a network gives them. */
export async function* inPieces(bytes: Buffer, size = 1000): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}
