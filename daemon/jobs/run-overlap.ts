import {Runs, type JobRecord, type RunRecord} from './records.js'
import type {StoreReader} from '../store/store.js'

export interface OverlapRule {
  readonly key: string
  readonly overlap: JobRecord['overlap']
  /** How many runs may wait, under `queue`. */
  readonly mayWait: number
}

export interface OverlapDecision {
  /** Where it may not run: another run of the job is there, and waiting is not allowed or somebody waits already. */
  readonly skipped: ReadonlyMap<string, string>
  /** Runs that must be done with a server before this one starts there. */
  readonly after: readonly string[]
  /** Runs whose place it takes. */
  readonly replaces: readonly RunRecord[]
}

/** The overlap rule, server by server, so that one stuck server does not hold up the others. Asked inside the transaction that writes the run. */
export async function decideOverlap(reader: StoreReader, job: OverlapRule, serverIds: readonly string[]): Promise<OverlapDecision> {
  if (job.overlap === 'allow') return {skipped: new Map(), after: [], replaces: []}
  const active = (await reader.find(Runs, 'active', [true, job.key])).filter((run) => serverIds.some((id) => isOpenOn(run, id)))
  const after = active.map((run) => run.id)
  if (job.overlap === 'replace') return {skipped: new Map(), after, replaces: active}
  const skipped = new Map<string, string>()
  for (const id of serverIds) {
    const there = active.filter((run) => isOpenOn(run, id))
    const blocking = job.overlap === 'skip' ? there[0] : there.length > job.mayWait ? there.at(-1) : undefined
    if (blocking !== undefined) skipped.set(id, blocking.id)
  }
  return {skipped, after, replaces: []}
}

/** Whether an active run still has something to do on a server. */
export function isOpenOn(run: RunRecord, serverId: string): boolean {
  return run.active && run.servers.some((result) => result.serverId === serverId && (result.status === 'queued' || result.status === 'running'))
}
