import type {OutputReader} from './output-reader.js'
import type {OutputRecord, OutputSource} from './output-record.js'
import type {OutputChunk} from './output.js'
import {unfinishedCharacter} from './utf8-tail.js'

/** Every so many records one says how all sources stand. */
export const recordsASummary = 256

/** How far each source of an output is stored. */
export class OutputState {
  readonly #sources = new Map<string, OutputSource>()
  #totalBytes = 0
  /** Records since one that says how all sources stand. */
  sinceSummary = 0

  static from(sources: readonly OutputSource[]): OutputState {
    const state = new OutputState()
    for (const source of sources) state.#set(source)
    return state
  }

  copy(): OutputState {
    const state = OutputState.from(this.sources())
    state.sinceSummary = this.sinceSummary
    return state
  }

  sources(): OutputSource[] {
    return [...this.#sources.values()]
  }

  get(serverId: string | null, source: string): OutputSource | undefined {
    return this.#sources.get(JSON.stringify([serverId, source]))
  }

  sizeBytes(serverId: string | undefined): number {
    if (serverId === undefined) return this.#totalBytes
    return this.sources().reduce((sum, source) => sum + (source.serverId === serverId ? source.sizeBytes : 0), 0)
  }

  add(chunk: Pick<OutputChunk, 'serverId' | 'source' | 'sourceOffset' | 'bytes'>): void {
    const {serverId, source, sourceOffset, bytes} = chunk
    const before = this.get(serverId, source)
    const carry = unfinishedCharacter(Buffer.concat([Buffer.from(before?.carry ?? '', 'hex'), bytes.subarray(-3)]))
    this.#set({serverId, source, offset: sourceOffset, sizeBytes: (before?.sizeBytes ?? 0) + bytes.length, carry: carry.toString('hex')})
  }

  #set(source: OutputSource): void {
    const key = JSON.stringify([source.serverId, source.source])
    this.#totalBytes += source.sizeBytes - (this.#sources.get(key)?.sizeBytes ?? 0)
    this.#sources.set(key, source)
  }
}

/** Reads how the sources stand: back to the last record that says it, and on from there. */
export async function readState(reader: OutputReader): Promise<OutputState> {
  const starts: number[] = []
  let state = new OutputState()
  for (let end = reader.end; end > 0; ) {
    const start = await reader.startBefore(end)
    const record = start === undefined ? undefined : await reader.headerAt(start)
    if (start === undefined || record === undefined) throw reader.damaged(end)
    if (record.header.sources !== undefined) {
      state = OutputState.from(record.header.sources)
      break
    }
    starts.push(start)
    end = start
  }
  for (const start of starts.reverse()) {
    const found = await reader.recordAt(start)
    if (found !== undefined) addRecord(state, found.record, found.payload)
  }
  return state
}

function addRecord(state: OutputState, {header}: OutputRecord, payload: Buffer): void {
  state.add({...header, bytes: payload})
  state.sinceSummary = header.sources === undefined ? state.sinceSummary + 1 : 0
}
