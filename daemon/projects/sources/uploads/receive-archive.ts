import {createHash} from 'node:crypto'
import {mkdir, rename, rm} from 'node:fs/promises'
import path from 'node:path'
import {extract, type Extract} from 'tar-stream'
import type {Clock} from '../../../clock.js'
import {diskFault, syncFolder, systemCode} from '../../../store/disk.js'
import {Fault} from '../../../../src/contract/faults.js'
import {contentName, indexName, type IndexLine} from './archive-format.js'
import {EntryChecker, type CheckedEntry} from './check-entries.js'
import {FileWriter} from './file-writer.js'
import {unpacked, type ArchiveLimits, type Unpacked} from './unpacked.js'
import {uploadFault} from './upload-fault.js'

export interface ReceivedArchive {
  /** As they were sent. */
  readonly bytes: number
  readonly files: number
}

export interface Receiving {
  readonly clock: Clock
  readonly limits: ArchiveLimits
  /** Made when all has come and is on disk; until then what there is lies beside it, with `.part` at its end. */
  readonly folder: string
}

/** Takes a gzipped tar archive in while it arrives: checked, unpacked and written piece by piece. Refused or cut off, nothing of it stays. */
export async function receiveArchive(content: AsyncIterable<Uint8Array>, {clock, limits, folder}: Receiving): Promise<ReceivedArchive> {
  const part = `${folder}.part`
  try {
    await mkdir(part, {mode: 0o700})
    const received = await receiveInto(part, unpacked(content, {clock, limits}), limits)
    await syncFolder(part)
    await rename(part, folder)
    await syncFolder(path.dirname(folder))
    return received
  } catch (error) {
    await rm(part, {recursive: true, force: true})
    throw toUploadFault(error)
  }
}

async function receiveInto(part: string, source: Unpacked, limits: ArchiveLimits): Promise<ReceivedArchive> {
  const index = await FileWriter.create(path.join(part, indexName))
  const contents = await FileWriter.create(path.join(part, contentName))
  try {
    const reader = extract()
    const taking = takeEntries(reader, {contents, index, checker: new EntryChecker(limits.entries)})
    taking.catch(() => source.stop())
    const [taken, fed] = await Promise.allSettled([taking, feed(reader, source.tar)])
    if (taken.status === 'rejected') throw taken.reason
    if (fed.status === 'rejected') throw fed.reason
    await contents.finish()
    await index.finish()
    return {bytes: source.bytesRead(), files: taken.value}
  } finally {
    await contents.close()
    await index.close()
  }
}

// Ends when either side does: a reader that found something wrong takes nothing more.
async function feed(reader: Extract, tar: AsyncIterable<Uint8Array>): Promise<void> {
  try {
    for await (const bytes of tar) {
      if (reader.destroyed) return
      if (!reader.write(bytes)) await drained(reader)
    }
    reader.end(null)
  } catch (error) {
    reader.destroy(error instanceof Error ? error : new Error(String(error)))
    throw error
  }
}

function drained(reader: Extract): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      reader.off('drain', done).off('close', done)
      resolve()
    }
    reader.on('drain', done).on('close', done)
  })
}

interface Target {
  readonly contents: FileWriter
  readonly index: FileWriter
  readonly checker: EntryChecker
}

async function takeEntries(reader: Extract, {contents, index, checker}: Target): Promise<number> {
  let files = 0
  for await (const entry of reader) {
    const checked = checker.check(entry.header)
    const start = contents.position
    const hash = createHash('sha256')
    for await (const bytes of entry as AsyncIterable<Buffer>) {
      if (checked?.kind !== 'file') continue
      hash.update(bytes)
      await contents.append(bytes)
    }
    if (checked === undefined) continue
    if (checked.kind !== 'folder') files += 1
    await index.append(Buffer.from(`${JSON.stringify(toLine(checked, {offset: start, size: contents.position - start, hash: () => hash.digest('hex')}))}\n`))
  }
  checker.finish()
  return files
}

function toLine(entry: CheckedEntry, {offset, size, hash}: {offset: number; size: number; hash: () => string}): IndexLine {
  switch (entry.kind) {
    case 'file':
      return {f: entry.path, m: entry.mode, o: offset, s: size, h: hash()}
    case 'folder':
      return {d: entry.path, m: entry.mode}
    case 'link':
      return {l: entry.path, t: entry.target}
    case 'copy':
      return {c: entry.path, m: entry.mode, of: entry.of}
  }
}

function toUploadFault(error: unknown): unknown {
  if (error instanceof Fault) return error
  const code = systemCode(error)
  if (code === undefined) return uploadFault('format', `the archive can not be read: ${error instanceof Error ? error.message : ''}`, {}, error)
  if (code === 'Z_BUF_ERROR') return uploadFault('truncated', 'the archive ends before its end', {}, error)
  if (code.startsWith('Z_')) return uploadFault('format', 'the archive is damaged: what it holds does not unpack', {}, error)
  if (code === 'ECONNRESET' || code === 'ERR_STREAM_PREMATURE_CLOSE') return uploadFault('interrupted', 'the connection ended before the whole archive was there', {}, error)
  return diskFault(error, 'the upload')
}
