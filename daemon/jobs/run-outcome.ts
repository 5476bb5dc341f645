import type {EndReason, RunStatus, ServerResult} from '../../src/contract/run.js'
import type {DurableEnd} from '../servers/runner.js'
import type {RunRecord} from './records.js'

/** How one attempt on one server ended. */
export interface AttemptOutcome {
  readonly status: Extract<RunStatus, 'success' | 'failed' | 'cancelled'>
  readonly endReason: EndReason
  readonly exitCode: number | null
  readonly signal: string | null
  readonly error: string | null
}

const longestError = 4096

export function failedOutcome(endReason: EndReason, error: string): AttemptOutcome {
  return {status: 'failed', endReason, exitCode: null, signal: null, error: cleanText(error)}
}

export function cancelledOutcome(endReason: EndReason, error: string | null): AttemptOutcome {
  return {status: 'cancelled', endReason, exitCode: null, signal: null, error}
}

/** What the end of a command means. `cancelReason` is set when somebody asked to cancel. */
export function toAttemptOutcome(end: DurableEnd, timeoutMs: number | null, cancelReason: EndReason | null): AttemptOutcome {
  const {exitCode, signal} = end
  if (cancelReason !== null && (end.stopped || end.kind === 'lost')) return {status: 'cancelled', endReason: cancelReason, exitCode, signal, error: null}
  if (end.kind === 'lost') {
    return failedOutcome('interrupted', 'the command can not be found again on its server, which may have restarted; how it ended is not known')
  }
  if (end.timedOut) return {status: 'failed', endReason: 'timeout', exitCode, signal, error: `timed out: the limit of ${formatDuration(timeoutMs)} was reached`}
  if (signal !== null) return {status: 'failed', endReason: 'signal', exitCode, signal, error: `ended by signal ${signal}`}
  if (exitCode === 0) return {status: 'success', endReason: 'exit', exitCode, signal, error: null}
  return {status: 'failed', endReason: 'exit', exitCode, signal, error: `exit status ${exitCode ?? 'unknown'}`}
}

function formatDuration(timeoutMs: number | null): string {
  return timeoutMs === null ? 'the server' : `${timeoutMs / 1000} s`
}

export interface RunOutcome {
  readonly status: Extract<RunStatus, 'success' | 'failed' | 'cancelled'>
  readonly endReason: EndReason
  readonly exitCode: number | null
  readonly error: string | null
}

/** A run is what its servers made of it: a success only if all are. */
export function toRunOutcome(servers: readonly ServerResult[]): RunOutcome {
  const single = servers.length === 1
  if (servers.every((server) => server.status === 'success')) return {status: 'success', endReason: 'exit', exitCode: 0, error: null}
  const cancelled = servers.find((server) => server.status === 'cancelled')
  const exitCode = single ? (servers[0]?.exitCode ?? null) : servers.some((server) => server.exitCode !== null) ? 1 : null
  if (cancelled !== undefined) return {status: 'cancelled', endReason: cancelled.endReason ?? 'user', exitCode, error: toRunError(servers)}
  const failed = servers.find((server) => server.status === 'failed') ?? servers.find((server) => server.status === 'skipped')
  return {status: 'failed', endReason: failed?.endReason ?? 'interrupted', exitCode, error: toRunError(servers)}
}

function toRunError(servers: readonly ServerResult[]): string | null {
  const [only] = servers
  if (servers.length === 1) return only?.error ?? null
  const lines = servers.filter((server) => typeof server.error === 'string').map((server) => `${server.serverId}: ${server.error}`)
  return lines.length === 0 ? null : cleanText(lines.join('; '))
}

/** One line that any store and client takes: no control characters, no half characters, bounded. */
export function cleanText(text: string): string {
  const cleaned = text.replace(/\p{Surrogate}/gu, '\ufffd').replace(/[\u0000-\u001f\u007f]+/g, ' ').trim()
  return cleaned.length <= longestError ? cleaned : `${cleaned.slice(0, longestError - 1).replace(/\p{Surrogate}$/u, '')}…`
}

/** Puts an instant of a server, whose clock may be wrong, between two of ours. */
export function clampInstant(instant: string | null, earliest: string, latest: string): string {
  const at = instant === null ? Number.NaN : Date.parse(instant)
  if (Number.isNaN(at)) return latest
  return new Date(Math.min(Math.max(at, Date.parse(earliest)), Math.max(Date.parse(earliest), Date.parse(latest)))).toISOString()
}

export function findCancelReason(run: RunRecord): EndReason | null {
  if (run.cancelRequestedBy === null) return null
  return run.cancelRequestedBy.startsWith('run:') ? 'overlap' : 'user'
}
