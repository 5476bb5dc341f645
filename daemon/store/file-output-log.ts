import {constants} from 'node:fs'
import {open, type FileHandle} from 'node:fs/promises'
import {dirname} from 'node:path'
import {cutFile, diskFault, syncData, syncFolder, writeAll} from './disk.js'
import {parseCursor, placeOfTail, readLinesFrom} from './output-lines.js'
import {OutputReader} from './output-reader.js'
import {encodeRecord, toHeader} from './output-record.js'
import {OutputState, readState, recordsASummary} from './output-state.js'
import {summarize} from './output-summary.js'
import type {OutputChunk, OutputLine, OutputLog} from './output.js'

/** One output as a file of records. Reading opens the file each time, so it goes on when the log was released meanwhile. */
export class FileOutputLog implements OutputLog {
  #end = 0
  #state = new OutputState()
  #writing: FileHandle | undefined
  #needsCut = false
  #released = false
  /** A new file outlives a loss of power only when its folders were synced too. */
  #isNew = false
  /** Appends, syncs and the release run one after another. */
  #tail: Promise<unknown> = Promise.resolve()

  private constructor(private readonly path: string) {}

  /** `isWriting` false opens only to read, and leaves a torn end where it is: somebody else may be writing it just now. */
  static async open(path: string, isWriting: boolean): Promise<FileOutputLog> {
    const log = new FileOutputLog(path)
    if (!isWriting) {
      await log.#refresh()
      return log
    }
    const handle = await open(path, constants.O_RDWR | constants.O_CREAT, 0o600).catch((error: unknown) => {
      throw diskFault(error, 'storing output')
    })
    try {
      await log.#load(handle)
      log.#isNew = log.#end === 0
      if ((await handle.stat()).size > log.#end) await cutFile(handle.fd, log.#end)
    } catch (error) {
      await handle.close()
      throw error
    }
    log.#writing = handle
    return log
  }

  async #load(handle: FileHandle): Promise<void> {
    const {size} = await handle.stat()
    this.#end = await wholeEnd(handle, this.path, size, this.#end)
    this.#state = await readState(new OutputReader(handle, this.path, this.#end))
  }

  /** What another log of the same file appended since. */
  async #refresh(): Promise<void> {
    const handle = await open(this.path, 'r')
    try {
      if ((await handle.stat()).size !== this.#end) await this.#load(handle)
    } finally {
      await handle.close()
    }
  }

  append(chunks: readonly OutputChunk[]): Promise<void> {
    return this.#inTurn(handle => this.#append(handle, chunks))
  }

  async #append(handle: FileHandle, chunks: readonly OutputChunk[]): Promise<void> {
    const state = this.#state.copy()
    const records = chunks.map(chunk => encodeChunk(state, chunk))
    const bytes = Buffer.concat(records)
    try {
      if (this.#needsCut) await this.#cut(handle)
      this.#needsCut = true
      await writeAll(handle.fd, bytes, this.#end)
    } catch (error) {
      // A cut that fails as well is tried again before the next append; opening cuts too.
      await this.#cut(handle).catch(() => undefined)
      throw diskFault(error, 'storing output')
    }
    this.#needsCut = false
    this.#end += bytes.length
    this.#state = state
  }

  async #cut(handle: FileHandle): Promise<void> {
    await cutFile(handle.fd, this.#end)
    this.#needsCut = false
  }

  sync(): Promise<void> {
    return this.#inTurn(async handle => {
      try {
        await syncData(handle.fd)
        if (!this.#isNew) return
        await syncFolder(dirname(this.path))
        await syncFolder(dirname(dirname(this.path)))
        this.#isNew = false
      } catch (error) {
        throw diskFault(error, 'storing output')
      }
    })
  }

  #inTurn(work: (handle: FileHandle) => Promise<void>): Promise<void> {
    const turn = this.#tail.then(() => {
      const handle = this.#writing
      if (handle === undefined) throw diskFault(undefined, 'storing output that is not open')
      return work(handle)
    })
    this.#tail = turn.catch(() => undefined)
    return turn
  }

  sourceOffset(serverId: string | null, source: string): number {
    return this.#state.get(serverId, source)?.offset ?? 0
  }

  sizeBytes(serverId?: string): number {
    return this.#state.sizeBytes(serverId)
  }

  async *lines(from: {readonly cursor?: string | undefined; readonly tail?: number | undefined}): AsyncGenerator<OutputLine> {
    const {cursor, tail} = from
    const {reader, handle} = await this.#read()
    try {
      const start = {offset: 0, skip: 0}
      const place = cursor !== undefined ? await parseCursor(reader, cursor) : tail !== undefined ? await placeOfTail(reader, tail) : start
      yield* readLinesFrom(reader, place)
    } finally {
      await handle.close()
    }
  }

  async *bytes(serverId?: string): AsyncGenerator<Buffer> {
    const {reader, handle} = await this.#read()
    try {
      for await (const {record, payload} of reader.forward(0)) {
        if (serverId === undefined || record.header.serverId === serverId) yield payload
      }
    } finally {
      await handle.close()
    }
  }

  async summary(characters: number): Promise<string> {
    const {reader, handle} = await this.#read()
    try {
      return await summarize(reader, characters, this.#state.sizeBytes(undefined))
    } finally {
      await handle.close()
    }
  }

  async #read(): Promise<{reader: OutputReader; handle: FileHandle}> {
    if (this.#writing === undefined) await this.#refresh()
    const handle = await open(this.path, 'r')
    return {reader: new OutputReader(handle, this.path, this.#end), handle}
  }

  release(): Promise<void> {
    const turn = this.#tail.then(async () => {
      if (this.#released) return
      this.#released = true
      const handle = this.#writing
      this.#writing = undefined
      await handle?.close()
    })
    this.#tail = turn.catch(() => undefined)
    return turn
  }
}

function encodeChunk(state: OutputState, chunk: OutputChunk): Buffer {
  const carry = state.get(chunk.serverId, chunk.source)?.carry ?? ''
  state.add(chunk)
  state.sinceSummary++
  const isSummary = state.sinceSummary >= recordsASummary
  if (isSummary) state.sinceSummary = 0
  return encodeRecord(toHeader(chunk, carry, isSummary ? state.sources() : undefined), chunk.bytes)
}

/** Where the last whole record ends. Only when the end of the file is none, the file is walked, from a place known to be one. */
async function wholeEnd(handle: FileHandle, path: string, size: number, known: number): Promise<number> {
  const reader = new OutputReader(handle, path, size)
  const start = await reader.startBefore(size)
  if (start !== undefined && (await reader.recordAt(start)) !== undefined) return size
  let end = known <= size ? known : 0
  for (let found = await reader.recordAt(end); found !== undefined; found = await reader.recordAt(end)) end += found.record.length
  return end
}
