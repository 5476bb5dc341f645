import {createReadStream} from 'node:fs'
import {setImmediate} from 'node:timers/promises'
import {crc32} from 'node:zlib'
import type {Adapter} from 'lowdb'
import type {Document} from './collection.js'
import {replaceFile, systemCode} from './disk.js'
import {snapshotFooter, SnapshotReader} from './snapshot-reader.js'
import type {TextPool} from './text-pool.js'
import type {Upgrade} from './upgrades.js'

/** What lowdb keeps of one collection. `documents` is the live map: writing goes on while it is copied out. */
export interface Snapshot {
  sequence: number
  readonly documents: Map<string, Document>
}

export interface SnapshotOptions {
  readonly path: string
  readonly collection: string
  /** Asked when a snapshot is written. */
  readonly version: () => number
  readonly release: string | null
  readonly texts: TextPool
  /** How to bring documents of a version to the present one. */
  readonly upgradeFrom: (version: number, release: string | null) => Upgrade | undefined
}

const sliceLength = 256 * 1024

/**
 * lowdb's file adapter neither syncs nor keeps the mode, and makes one text of everything. This one writes a document a line between a
 * header and a checksum, in slices that yield.
 *
 * A snapshot may hold changes made after its `sequence`: documents are replaced while it is written. Replay goes over them again, in
 * order, and whole documents are all a change consists of, so the result is the same.
 */
export class SnapshotAdapter implements Adapter<Snapshot> {
  /** The version found by `read`. */
  foundVersion: number | null = null
  /** Size of the file, as read or written last. */
  sizeBytes = 0

  constructor(private readonly options: SnapshotOptions) {}

  async read(): Promise<Snapshot | null> {
    const reader = new SnapshotReader(this.options)
    try {
      for await (const chunk of createReadStream(this.options.path, {highWaterMark: 1024 * 1024})) reader.take(chunk as Buffer)
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return null
      throw error
    }
    const {header, documents, sizeBytes} = reader.end()
    this.foundVersion = header.version
    this.sizeBytes = sizeBytes
    return {sequence: header.sequence, documents}
  }

  async write({sequence, documents}: Snapshot): Promise<void> {
    const {path, collection, version, release} = this.options
    let sizeBytes = 0
    await replaceFile(path, async append => {
      let sum = 0
      let count = 0
      let slice = `${JSON.stringify({collection, version: version(), sequence, release})}\n`
      const flush = async () => {
        const bytes = Buffer.from(slice)
        slice = ''
        sum = crc32(bytes, sum)
        sizeBytes += bytes.length
        await append(bytes)
        await setImmediate()
      }
      // The ids as of now: what is inserted later is in the journal, and must not keep this loop alive.
      for (const id of [...documents.keys()]) {
        const document = documents.get(id)
        if (document === undefined) continue
        count++
        slice += `${JSON.stringify(document)}\n`
        if (slice.length >= sliceLength) await flush()
      }
      await flush()
      await append(Buffer.from(snapshotFooter(count, sum)))
    })
    this.sizeBytes = sizeBytes
  }
}
