import type {Run, RunSummary} from '../../src/contract/run.js'
import type {RunRecord} from './records.js'

/** A run as it goes over the wire. `output` is given only where one run is shown. */
export function toRunView(run: RunRecord, shown: {readonly output?: string | null; readonly outputBytes?: number} = {}): Run {
  return {
    id: run.id,
    jobId: run.jobKey,
    jobKey: run.jobKey,
    kind: run.kind,
    trigger: run.trigger,
    status: run.status,
    endReason: run.endReason,
    serverId: run.serverIds.length === 1 ? (run.serverIds[0] ?? null) : null,
    attempt: run.attempt,
    retryOf: run.retryOf,
    startedBy: run.startedBy,
    scheduledFor: run.scheduledFor,
    parameters: run.parameters,
    startedAt: run.startedAt,
    finishedAt: run.finishedAt,
    durationMs: run.durationMs,
    summary: toSummary(run),
    output: shown.output ?? null,
    outputBytes: shown.outputBytes ?? run.outputBytes ?? 0,
    error: run.error,
    createdAt: run.createdAt,
  }
}

function toSummary(run: RunRecord): RunSummary | null {
  if (run.kind === 'system') return run.summary
  const attempts = Math.max(0, ...run.servers.map((server) => server.attempts ?? 0))
  return {...run.summary, exitCode: run.exitCode, attempts, servers: run.servers}
}
