import type {DeploymentStep} from '../../../src/contract/deployments.js'
import {toInstant, type Clock} from '../../clock.js'
import {createStreamMaskers, type StreamMasker} from '../../jobs/mask-stream.js'
import {untilStored} from '../../jobs/until-stored.js'
import type {Log} from '../../log.js'
import type {OutputChunk, OutputLevel, OutputLog} from '../../store/output.js'
import {toSourceTag} from './log-source.js'
import {QuietWatch} from './quiet-watch.js'

export interface DeploymentLogParts {
  readonly log: OutputLog
  readonly clock: Clock
  readonly logger: Log
  /** Told when there is more to read. */
  readonly onStored: () => void
  readonly signal: AbortSignal
}

export interface LineOptions {
  readonly level?: OutputLevel | undefined
  readonly service?: string | undefined
}

const limitBytes = 64 * 1024 * 1024
const longestLine = 256 * 1024

const usualWaits: Record<DeploymentStep, string> = {
  prepare: 'the checks on the server', clone: 'the source', install: 'the images', build: 'the build', deploy: 'the services to be up',
}

/** The log of a deployment as people may read it: whole lines with the step and the service they belong to, secrets masked. */
export class DeploymentLog {
  readonly #parts: DeploymentLogParts
  readonly #secrets = new Set<string>()
  #createMasker = createStreamMaskers([])
  readonly #maskers = new Map<string, StreamMasker>()
  #pending: OutputChunk[] = []
  #pendingBytes = 0
  #writing: Promise<void> = Promise.resolve()
  #isWriting = false
  #step: DeploymentStep = 'prepare'
  #isFull = false
  readonly #quiet: QuietWatch

  constructor(parts: DeploymentLogParts) {
    this.#parts = parts
    this.#quiet = new QuietWatch(parts.clock, (line) => this.line(line))
    this.#isFull = parts.log.sizeBytes() >= limitBytes
  }

  /** From now on these are masked wherever they appear, with those of before. */
  hide(secrets: readonly string[]): void {
    this.#flushMaskers()
    for (const secret of secrets) this.#secrets.add(secret)
    this.#createMasker = createStreamMaskers([...this.#secrets])
  }

  /** Lines belong to this step from now on. What it waits for is said when nothing else is for long. */
  begin(step: DeploymentStep, waitsFor: () => string = () => usualWaits[step]): void {
    this.#step = step
    this.#quiet.begin(waitsFor)
  }

  /** The step goes on, waiting for something else. */
  waitFor(what: string): void {
    this.#quiet.begin(() => what)
  }

  line(text: string, {level = 'info', service}: LineOptions = {}): void {
    const tag = toSourceTag(this.#step, service)
    const masker = this.#maskers.get(tag) ?? this.#createMasker(0)
    this.#maskers.set(tag, masker)
    this.#quiet.heard()
    this.#add(tag, level, masker.push(Buffer.from(`${text.slice(0, longestLine)}\n`)).map(({bytes}) => bytes))
  }

  /** The same text as a line of the log would show it. */
  masked(text: string): string {
    const masker = this.#createMasker(0)
    return Buffer.concat([...masker.push(Buffer.from(text)), ...masker.flush()].map(({bytes}) => bytes)).toString()
  }

  /** Settles when everything is stored; nothing is said by itself any more. */
  async end(): Promise<void> {
    this.#quiet.end()
    await this.flush()
  }

  /** Settles when everything so far is stored. */
  async flush(): Promise<void> {
    this.#flushMaskers()
    await this.#writing
  }

  sizeBytes(): number {
    return this.#parts.log.sizeBytes()
  }

  async tail(count: number): Promise<string[]> {
    const lines: string[] = []
    for await (const {line} of this.#parts.log.lines({tail: count})) lines.push(line)
    return lines
  }

  #flushMaskers(): void {
    for (const [tag, masker] of this.#maskers) this.#add(tag, 'info', masker.flush().map(({bytes}) => bytes))
    this.#maskers.clear()
  }

  #add(tag: string, level: OutputLevel, pieces: readonly Buffer[]): void {
    const bytes = Buffer.concat(pieces)
    if (bytes.length === 0 || this.#isFull) return
    const at = toInstant(this.#parts.clock.now())
    this.#pending.push({serverId: tag, level, at, bytes, sourceOffset: 0, source: 'log'})
    this.#pendingBytes += bytes.length
    if (this.#parts.log.sizeBytes() + this.#pendingBytes > limitBytes) {
      this.#isFull = true
      this.#pending.push({serverId: tag, level: 'warn', at, bytes: Buffer.from('… the log is longer than is kept; the rest is left out …\n'), sourceOffset: 0, source: 'limit'})
    }
    if (!this.#isWriting) this.#writing = this.#write()
  }

  // One append at a time; what comes meanwhile goes with the next.
  async #write(): Promise<void> {
    const {log, clock, logger, signal, onStored} = this.#parts
    this.#isWriting = true
    try {
      while (this.#pending.length > 0) {
        const chunks = this.#pending
        this.#pending = []
        this.#pendingBytes = 0
        await untilStored({clock, log: logger}, signal, () => log.append(chunks))
        onStored()
      }
    } catch {
      // Only the end of the daemon comes here: what it could not store by then is lost with it.
    } finally {
      this.#isWriting = false
    }
  }
}
