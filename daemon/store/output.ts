// The interface of stored output; output-files.ts is the file engine's.

export type OutputLevel = 'info' | 'warn' | 'error'

/** Bytes as they came from one server and stream, secrets masked: whole lines, or a piece of a very long one. */
export interface OutputChunk {
  readonly serverId: string | null
  readonly level: OutputLevel
  /** ISO instant of arrival. */
  readonly at: string
  readonly bytes: Buffer
  /** Where the source stands after these bytes, so that following can go on from there; 0 for lines of our own. */
  readonly sourceOffset: number
  /** Names the source on its server: an attempt and a stream, such as `1/output`. */
  readonly source: string
}

/** One line as a stream shows it: UTF-8 repaired, no newline, at most 32,768 characters, then `partial`. */
export interface OutputLine {
  /** Opaque position just after this line; following can begin here. */
  readonly cursor: string
  readonly line: string
  readonly partial: boolean
  readonly serverId: string | null
  readonly level: OutputLevel
  readonly at: string
}

/** The one merged output of a run (or deployment, attempt, migration). */
export interface OutputLog {
  /** Appends as one unit: after a crash a chunk is there whole or not at all. Throws STORE_FULL when there is no room; nothing is then stored. */
  append(chunks: readonly OutputChunk[]): Promise<void>
  /** Forces what was appended to disk. */
  sync(): Promise<void>
  /** Where a source of a server stands; 0 when nothing of it is stored. */
  sourceOffset(serverId: string | null, source: string): number
  /** Bytes of payload stored, of all servers or of one. */
  sizeBytes(serverId?: string): number
  /** Lines after `cursor` (or the last `tail`, or all) up to the present end. Ends there. Throws VALIDATION_ERROR for a cursor that is not one. */
  lines(from: {readonly cursor?: string | undefined; readonly tail?: number | undefined}): AsyncIterable<OutputLine>
  /** The bytes as they are stored, of all servers in order of arrival or of one. */
  bytes(serverId?: string): AsyncIterable<Buffer>
  /** First and last `characters` of it, cleaned of control characters, with a line between that says how much was left out; bounded memory. */
  summary(characters: number): Promise<string>
}

export interface OutputStore {
  /** Opens or creates; the same id gives the same log while it is open. */
  open(id: string): Promise<OutputLog>
  /** Opens to read; undefined where there is none. */
  find(id: string): Promise<OutputLog | undefined>
  /** Lets go of the handle; the output stays. */
  release(id: string): Promise<void>
  remove(id: string): Promise<void>
  close(): Promise<void>
}
