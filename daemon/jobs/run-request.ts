import type {RunTrigger} from '../../src/contract/run.js'
import type {Actor} from '../events/record.js'
import type {Transaction} from '../store/store.js'
import type {JobRecord, RunPlan, RunRecord} from './records.js'

/** Asks for a run of a job. */
export interface RunRequest {
  readonly job: JobRecord
  readonly trigger: RunTrigger
  readonly actor: Actor
  /** The instant it was due, for scheduled and one-time runs. */
  readonly scheduledFor?: string
  /** Set when it was due while nobody was there to start it: the run is recorded `skipped`, endReason `misfire`. */
  readonly missed?: boolean
  readonly parameters?: Readonly<Record<string, string>>
  /** Some of the job's servers instead of all. */
  readonly serverIds?: readonly string[]
  readonly retryOf?: string
  readonly event?: RunPlan['event']
  /** Given where the same cause must start one run only; a second insert answers CONFLICT. */
  readonly id?: string
  /** The run whose end asks for this one. */
  readonly causedBy?: string
  /** Of a dependent: the successes that start it. */
  readonly prerequisites?: readonly string[]
}

/** Writes the run, in the caller's transaction: `queued`, or `skipped` by the overlap rule. The executor starts it after the commit. */
export type RequestRun = (transaction: Transaction, request: RunRequest) => Promise<RunRecord>
