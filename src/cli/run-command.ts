import type {Command} from '@oclif/core/command'
import {BaseCommand, type JsonResult} from './base-command.js'
import {runOutcome} from './run-text.js'
import {showRunToEnd} from './show-run.js'
import {requireSuccess} from './wait-for-run.js'

export interface FollowChoice {
  readonly wait: boolean
  readonly follow: boolean
  readonly timestamps: boolean
  readonly tail?: number | undefined
}

/** What commands share that start a run or look at one: the id first, then its end, and the exit code of that. */
export abstract class RunCommand<T extends typeof Command> extends BaseCommand<T> {
  /** Says which run it is before anything else, so that a lost session can take it up again. */
  protected announce(runId: string, what: string): void {
    this.leftRunning = {what: `run ${runId}`, command: `runs watch ${runId}`}
    if (!this.jsonEnabled()) this.io.stderr.write(`${runId} ${what}\n`)
  }

  /** Follows as the flags say and throws unless the run succeeded. */
  protected async finish(runId: string, {wait, follow, timestamps, tail}: FollowChoice): Promise<JsonResult> {
    if (!wait && !follow) return undefined
    this.streaming = follow
    const context = {api: this.api, out: this.out, signal: this.signal}
    const run = await showRunToEnd(context, runId, {lines: follow, timestamps, tail, timeoutMs: this.flags.timeout})
    this.leftRunning = undefined
    requireSuccess(run)
    // With its output on stdout, what is said about the run belongs beside it.
    if (follow) this.out.note(runOutcome(run))
    else this.log(runOutcome(run))
    if (!follow) return run
    if (this.jsonEnabled()) await this.out.emit({type: 'result', run: {...run, output: null}})
    return undefined
  }
}
