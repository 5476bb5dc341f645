import {toInstant, type Clock} from '../clock.js'
import type {Log} from '../log.js'
import type {DurableChunk, DurableStream} from '../servers/runner.js'
import type {OutputChunk, OutputLog} from '../store/output.js'
import type {AttemptOutput} from './attempt-output.js'
import {LineCutter, type MaskedPiece} from './line-cutter.js'
import type {CreateStreamMasker, StreamMasker} from './mask-stream.js'
import {ServerOutput, type SourcePiece} from './server-output.js'
import {untilStored} from './until-stored.js'

const longestPieceBytes = 64 * 1024

export interface RunOutputParts {
  readonly runId: string
  readonly log: OutputLog
  readonly clock: Clock
  readonly logger: Log
  readonly limitBytes: number
  readonly separateStderr: boolean
  /** A masker for a stream that begins at an offset of its source. */
  readonly createMasker: CreateStreamMasker
  /** Told when there is more to read. */
  readonly onStored: () => void
  readonly signal: AbortSignal
}

interface Stream {
  readonly masker: StreamMasker
  readonly lines: LineCutter
  offset: number
}

/** The output of one run: takes what its servers send and stores it as people may read it. */
export class RunOutput {
  readonly #parts: RunOutputParts
  readonly #servers = new Map<string, ServerOutput>()

  constructor(parts: RunOutputParts) {
    this.#parts = parts
  }

  sizeBytes(): number {
    return this.#parts.log.sizeBytes()
  }

  /** The line before another attempt; written once however often it is asked for. */
  async noteRetry(serverId: string, attempt: number, maxAttempts: number): Promise<void> {
    const {log} = this.#parts
    if (log.sourceOffset(serverId, 'retry') >= attempt) return
    const server = this.#server(serverId)
    await this.#store([server.note(`── retry ${attempt}/${maxAttempts} ──`, 'retry', attempt, this.#now())])
  }

  ofAttempt(serverId: string, launch: number): AttemptOutput {
    const names: readonly DurableStream[] = this.#parts.separateStderr ? ['output', 'stderr'] : ['output']
    let streams = new Map<DurableStream, Stream>()
    const sourceOf = (name: DurableStream) => `${launch}/${name}`
    const offsetOf = (name: DurableStream) => this.#parts.log.sourceOffset(serverId, sourceOf(name))
    const begin = () => {
      this.#servers.delete(serverId)
      streams = new Map(names.map((name) => [name, this.#begin(offsetOf(name))]))
      return {output: offsetOf('output'), stderr: offsetOf('stderr')}
    }
    const sort = (name: DurableStream, pieces: readonly MaskedPiece[]) => {
      const level = name === 'stderr' ? ('warn' as const) : ('info' as const)
      const sourced = pieces.map((piece): SourcePiece => ({...piece, level, source: sourceOf(name)}))
      return this.#server(serverId).take(sourced, this.#now())
    }
    const take = async (chunk: DurableChunk) => {
      const stream = streams.get(chunk.stream)
      if (stream === undefined) return
      const bytes = chunk.bytes.subarray(Math.max(0, stream.offset - chunk.offset))
      stream.offset = Math.max(stream.offset, chunk.offset + chunk.bytes.length)
      await this.#store(this.#beforeGap(serverId, chunk, stream, sort))
      await this.#store(sort(chunk.stream, stream.masker.push(bytes).flatMap((piece) => stream.lines.take(piece))))
    }
    const finish = async (missing: number) => {
      const rest = [...streams].flatMap(([name, stream]) => sort(name, drain(stream)))
      const end = this.#server(serverId).finish(missing, this.#now())
      await this.#store([...rest, ...end])
      const isTold = end.length > 0 || names.some((name) => offsetOf(name) > this.#parts.limitBytes)
      if (missing > 0 && !isTold) await this.#noteLoss(serverId, launch, missing)
      await untilStored({clock: this.#parts.clock, log: this.#parts.logger}, this.#parts.signal, () => this.#parts.log.sync())
    }
    return {begin, take, finish}
  }

  // Below the limit a server leaves something out only where its disk is full, and then it does not know all that was lost.
  async #noteLoss(serverId: string, launch: number, missing: number): Promise<void> {
    const source = `${launch}/loss`
    if (this.#parts.log.sourceOffset(serverId, source) > 0) return
    const text = `… at least ${missing} bytes were not kept: the disk of the server was full …`
    await this.#store([this.#server(serverId).note(text, source, 1, this.#now())])
  }

  #begin(offset: number): Stream {
    return {masker: this.#parts.createMasker(offset), lines: new LineCutter(longestPieceBytes), offset}
  }

  // A server keeps the first `limitBytes` of a stream and then only its end: what follows the gap is no continuation of what came before.
  #beforeGap(serverId: string, chunk: DurableChunk, stream: Stream, sort: (name: DurableStream, pieces: readonly MaskedPiece[]) => OutputChunk[]): OutputChunk[] {
    if (chunk.offset < this.#parts.limitBytes) return []
    const server = this.#server(serverId)
    const held = sort(chunk.stream, drain(stream))
    server.passLimit()
    return held
  }

  #server(serverId: string): ServerOutput {
    const known = this.#servers.get(serverId)
    if (known !== undefined) return known
    const server = new ServerOutput({serverId, limitBytes: this.#parts.limitBytes, storedBytes: this.#parts.log.sizeBytes(serverId)})
    this.#servers.set(serverId, server)
    return server
  }

  async #store(chunks: readonly OutputChunk[]): Promise<void> {
    const {log, clock, logger, signal, onStored} = this.#parts
    if (chunks.length === 0) return
    await untilStored({clock, log: logger}, signal, () => log.append(chunks))
    onStored()
  }

  #now(): string {
    return toInstant(this.#parts.clock.now())
  }
}

function drain({masker, lines}: Stream): MaskedPiece[] {
  return [...masker.flush().flatMap((piece) => lines.take(piece)), ...lines.flush()]
}
