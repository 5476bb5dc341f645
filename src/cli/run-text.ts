import type {Run} from '../contract/run.js'
import type {Cell, Column} from './table.js'
import {formatBytes, formatDuration} from './time-text.js'

export const runColumns: readonly Column<Run>[] = [
  {heading: 'RUN', value: (run) => run.id, whole: true},
  {heading: 'JOB', value: (run) => run.jobKey},
  {heading: 'STATUS', value: (run) => run.status, kind: 'status'},
  {heading: 'WHY', value: (run) => (run.endReason === 'exit' ? exitText(run) : run.endReason)},
  {heading: 'TRIGGER', value: (run) => run.trigger},
  {heading: 'STARTED', value: (run) => run.startedAt ?? run.createdAt, kind: 'time'},
  {heading: 'TOOK', value: (run) => (run.durationMs === null ? null : formatDuration(run.durationMs)), kind: 'number'},
]

function exitText(run: Run): string {
  const code = run.summary?.exitCode
  return code === null || code === undefined ? 'exit' : `exit ${code}`
}

export function runFields(run: Run, serverNames: ReadonlyMap<string, string>): [string, Cell][] {
  const servers = run.summary?.servers ?? []
  return [
    ['run', run.id],
    ['job', run.jobKey],
    ['status', run.status],
    ['why', run.endReason === 'exit' ? exitText(run) : run.endReason],
    ['error', run.error],
    ['trigger', run.trigger],
    ['started by', run.startedBy],
    ['was due', run.scheduledFor],
    ['started', run.startedAt],
    ['finished', run.finishedAt],
    ['took', run.durationMs === null ? null : formatDuration(run.durationMs)],
    ['retry of', run.retryOf],
    ['parameters', run.parameters === null ? null : Object.keys(run.parameters).join(', ')],
    ...servers.map((server): [string, Cell] => [
      `on ${serverNames.get(server.serverId) ?? server.serverId}`,
      [server.status, server.endReason === 'exit' && server.exitCode !== null ? `exit ${server.exitCode}` : server.endReason, server.error].filter((part) => part !== null && part !== undefined).join(', '),
    ]),
    ['output', formatBytes(run.outputBytes)],
  ]
}

/** `run jrun_1 of custom:a failed (exit 3): message` */
export function runOutcome(run: Run): string {
  const why = run.endReason === null ? '' : ` (${run.endReason === 'exit' ? exitText(run) : run.endReason})`
  return `run ${run.id} of ${run.jobKey}: ${run.status}${why}${run.error === null ? '' : `: ${run.error}`}`
}
