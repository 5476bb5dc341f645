import {Fault} from '../../src/contract/faults.js'
import type {EndReason} from '../../src/contract/run.js'
import {sleep, type Clock} from '../clock.js'
import type {DurableCommand, DurableEnd, Runner} from '../servers/runner.js'
import type {AttemptOutput} from './attempt-output.js'
import {cancelledOutcome, failedOutcome, toAttemptOutcome, type AttemptOutcome} from './run-outcome.js'

export interface FollowLimits {
  /** Between TERM and KILL. */
  readonly killGraceMs: number
  /** How often reaching a server is tried before an attempt fails as unreachable. */
  readonly startTries: number
  readonly firstBackoffMs: number
  readonly longestBackoffMs: number
  /** How long a cancelled run waits for a server beyond the kill grace. */
  readonly cancelPatienceMs: number
}

export const defaultFollowLimits: FollowLimits = {killGraceMs: 10_000, startTries: 4, firstBackoffMs: 1_000, longestBackoffMs: 30_000, cancelPatienceMs: 20_000}

export interface CommandToFollow {
  readonly serverId: string
  readonly command: DurableCommand
  readonly output: AttemptOutput
  /** It is known to have started. */
  readonly started: boolean
  /** Somebody before us may have started it. */
  readonly mayHaveStarted: boolean
  readonly clock: Clock
  readonly limits: FollowLimits
  readonly runnerFor: (serverId: string) => Runner | Promise<Runner>
  readonly onStarted: (startedAt: string) => Promise<void>
  readonly onTrouble: (error: string | null) => Promise<void>
  /** Ends following; the command goes on. */
  readonly release: AbortSignal
  /** Somebody wants the run to end. */
  readonly cancel: AbortSignal
  readonly cancelReason: () => EndReason
}

export interface FollowedCommand {
  readonly outcome: AttemptOutcome
  readonly startedAt: string | null
  readonly finishedAt: string | null
  /** Whether a folder may be left on the server. */
  readonly launched: boolean
  /** Whether the command was seen to start. */
  readonly started: boolean
  /** Whether it may still be running there, or start. */
  readonly loose: boolean
}

// The wrapper on the server ends a command at its limit; this long after that an unreachable server can have nothing running any more.
const timeoutMarginMs = 30_000
const stopTries = 3

/** Starts a command, or finds it again, and stays with it to its end through dropped connections, never starting it twice. */
export class CommandFollower {
  readonly #to: CommandToFollow
  readonly #giveUp = new AbortController()
  readonly #begunMs: number
  #started: boolean
  #launched: boolean
  #startedAt: string | null = null
  #troubled = false
  #misses = 0

  constructor(to: CommandToFollow) {
    this.#to = to
    this.#started = to.started
    this.#launched = to.started || to.mayHaveStarted
    this.#begunMs = to.clock.now()
  }

  async follow(): Promise<FollowedCommand> {
    const {cancel, release} = this.#to
    const onCancel = () => void this.#stop()
    cancel.addEventListener('abort', onCancel, {once: true})
    if (cancel.aborted) onCancel()
    try {
      return await this.#untilEnd()
    } finally {
      cancel.removeEventListener('abort', onCancel)
      if (!release.aborted) this.#giveUp.abort(new Error('the command has ended'))
    }
  }

  async #untilEnd(): Promise<FollowedCommand> {
    for (;;) {
      this.#to.release.throwIfAborted()
      try {
        const end = await this.#once()
        return end === undefined ? this.#cancelled(null) : this.#ended(end)
      } catch (error) {
        this.#to.release.throwIfAborted()
        const over = await this.#judge(error)
        if (over !== undefined) return over
      }
      const waited = await this.#backOff()
      if (!waited) return this.#gaveUp()
    }
  }

  // One connection's worth of following; undefined where it was cancelled before it was launched.
  async #once(): Promise<DurableEnd | undefined> {
    const {output, command, cancel, release, serverId, runnerFor} = this.#to
    const runner = await runnerFor(serverId)
    if (cancel.aborted && !this.#launched) return undefined
    this.#launched = true
    const from = output.begin()
    const follow = {
      from,
      onStarted: (startedAt: string) => this.#noteStarted(startedAt),
      onChunk: output.take,
      signal: AbortSignal.any([release, this.#giveUp.signal]),
    }
    // A cancelled command is looked for but never started: the request to stop may still be under way.
    const known = this.#started || cancel.aborted || from.output > 0 || from.stderr > 0
    const end = known ? await runner.durable.attach(command.id, follow) : await runner.durable.run(command, follow)
    await output.finish(end.droppedBytes.output + end.droppedBytes.stderr)
    return end
  }

  #noteStarted(startedAt: string): void {
    const wasTroubled = this.#troubled
    const first = !this.#started
    this.#troubled = false
    this.#misses = 0
    this.#started = true
    this.#startedAt ??= startedAt
    if (!first && !wasTroubled) return
    this.#note(() => (first ? this.#to.onStarted(startedAt) : this.#to.onTrouble(null)))
  }

  // Notes are written beside the following, in their order; the result, which is written after them, does not wait for the disk to have them.
  // One that fails was let go of, and so is the result then.
  #note(write: () => Promise<void>): void {
    write().catch(() => undefined)
  }

  // Answers how it is over, or nothing to try again.
  async #judge(error: unknown): Promise<FollowedCommand | undefined> {
    if (this.#giveUp.signal.aborted) return this.#gaveUp()
    if (!(error instanceof Fault)) throw error
    const {serverId, limits, command} = this.#to
    if (error.code === 'NOT_FOUND') return this.#failed(`server ${serverId} was deleted`, false)
    this.#misses += 1
    if (!this.#started) {
      if (error.code === 'SERVER_UNREACHABLE' && this.#misses < limits.startTries) return undefined
      return this.#failed(error.message, true)
    }
    if (!this.#troubled) {
      this.#troubled = true
      this.#note(() => this.#to.onTrouble(`${error.message}; the command goes on, its output follows when the server answers`))
    }
    if (!this.#isPastLimit(command.timeoutMs)) return undefined
    return this.#failed(`${error.message}; the limit of the command has passed, how it ended is not known`, true)
  }

  #isPastLimit(timeoutMs: number | null): boolean {
    const {clock, limits} = this.#to
    if (timeoutMs === null) return false
    const startedAt = this.#startedAt === null ? this.#begunMs : Date.parse(this.#startedAt)
    return clock.now() > Math.max(startedAt, this.#begunMs) + timeoutMs + limits.killGraceMs + timeoutMarginMs
  }

  async #backOff(): Promise<boolean> {
    const {clock, limits, release} = this.#to
    const delayMs = Math.min(limits.firstBackoffMs * 2 ** Math.max(0, this.#misses - 1), limits.longestBackoffMs)
    const signal = AbortSignal.any([release, this.#giveUp.signal])
    try {
      await sleep(clock, delayMs, signal)
      return true
    } catch (error) {
      if (release.aborted) throw error
      return false
    }
  }

  // Asks the server to end the command until it has heard it. A server that does not answer is not waited for: the run ends, the rest is swept later.
  async #stop(): Promise<void> {
    const {clock, limits, command, serverId, runnerFor, release} = this.#to
    if (!this.#launched) return
    const cancelTimer = clock.after(limits.killGraceMs + limits.cancelPatienceMs, () => this.#giveUp.abort(new Error('the server did not end the command in time')))
    this.#giveUp.signal.addEventListener('abort', cancelTimer, {once: true})
    const signal = AbortSignal.any([release, this.#giveUp.signal])
    for (let tries = 1; !signal.aborted; tries += 1) {
      try {
        const runner = await runnerFor(serverId)
        return await runner.durable.stop(command.id, limits.killGraceMs, signal)
      } catch (error) {
        if (signal.aborted) return
        if (tries === stopTries) return this.#giveUp.abort(error)
        await sleep(clock, limits.firstBackoffMs, signal).catch(() => undefined)
      }
    }
  }

  #ended(end: DurableEnd): FollowedCommand {
    const {cancel, command, cancelReason} = this.#to
    const outcome = toAttemptOutcome(end, command.timeoutMs, cancel.aborted ? cancelReason() : null)
    return {...this.#about(outcome), startedAt: end.startedAt ?? this.#startedAt, finishedAt: end.finishedAt, loose: end.kind === 'lost' && cancel.aborted}
  }

  #failed(error: string, loose: boolean): FollowedCommand {
    if (this.#to.cancel.aborted) return {...this.#cancelled(error), loose}
    return {...this.#about(failedOutcome('unreachable', error)), loose: loose && this.#launched}
  }

  #gaveUp(): FollowedCommand {
    return this.#cancelled(`server ${this.#to.serverId} did not confirm that the command has ended; it is stopped there as soon as it answers`)
  }

  #cancelled(error: string | null): FollowedCommand {
    return {...this.#about(cancelledOutcome(this.#to.cancelReason(), error)), loose: this.#launched}
  }

  #about(outcome: AttemptOutcome): Omit<FollowedCommand, 'loose'> {
    return {outcome, startedAt: this.#startedAt, finishedAt: null, launched: this.#launched, started: this.#started}
  }
}
