import {createReadStream} from 'node:fs'
import {open} from 'node:fs/promises'
import path from 'node:path'
import {createInterface} from 'node:readline'
import {z} from 'zod'
import type {IndexEntry} from '../tree-index.js'

// How an upload is kept: the contents of all files one after another in one file, and beside it an index, a line of JSON an entry. Nothing is unpacked to be read.

export const contentName = 'content'
export const indexName = 'index'

const Line = z.union([
  z.object({f: z.string(), m: z.int(), o: z.int(), s: z.int(), h: z.string()}),
  z.object({d: z.string(), m: z.int()}),
  z.object({l: z.string(), t: z.string()}),
  z.object({c: z.string(), m: z.int(), of: z.string()}),
])
/** A file with mode, offset, size and hash; a folder; a link and its target; a copy of an earlier file. */
export type IndexLine = z.output<typeof Line>

export interface ArchiveEntry extends IndexEntry {
  readonly offset: number
}

/** Reads the index of an upload. */
export async function readIndex(folder: string, signal: AbortSignal): Promise<ArchiveEntry[]> {
  const files = new Map<string, ArchiveEntry>()
  const others: ArchiveEntry[] = []
  for await (const text of createInterface({input: createReadStream(path.join(folder, indexName), {signal}), crlfDelay: Infinity})) {
    const line = Line.parse(JSON.parse(text))
    if ('f' in line) files.set(line.f, {path: line.f, type: 'file', mode: line.m, size: line.s, contentId: line.h, offset: line.o})
    else if ('d' in line) others.push({path: line.d, type: 'folder', mode: line.m, size: 0, contentId: '', offset: 0})
    else if ('l' in line) others.push({path: line.l, type: 'link', mode: 0o777, size: 0, contentId: line.t, target: line.t, offset: 0})
    else files.set(line.c, {...copied(files, line.of), path: line.c, mode: line.m})
  }
  return [...files.values(), ...others]
}

function copied(files: ReadonlyMap<string, ArchiveEntry>, of: string): ArchiveEntry {
  const original = files.get(of)
  if (original === undefined) throw new Error(`the index of an upload names ${of}, which is not in it`)
  return original
}

/** The bytes of one file. */
export async function* readContent(folder: string, {offset, size}: ArchiveEntry, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  if (size === 0) return
  const handle = await open(path.join(folder, contentName), 'r')
  try {
    for (let done = 0; done < size; ) {
      signal.throwIfAborted()
      const {bytesRead, buffer} = await handle.read({buffer: Buffer.allocUnsafe(Math.min(64 * 1024, size - done)), position: offset + done})
      if (bytesRead === 0) return
      yield buffer.subarray(0, bytesRead)
      done += bytesRead
    }
  } finally {
    await handle.close()
  }
}
