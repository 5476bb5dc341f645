import type {LogEntry} from '../../../src/contract/log-entry.js'
import type {OutputStore} from '../../store/output.js'
import type {StoreReader} from '../../store/store.js'
import {parseSourceTag} from './log-source.js'
import {ServiceOutcomes} from './records.js'

export interface LogQuery {
  readonly tail?: number | undefined
  /** Name or id of a service. */
  readonly service?: string | undefined
}

const mostLines = 100_000

export interface LogPage {
  readonly entries: LogEntry[]
  /** Where a stream goes on after the last of them; null where there is nothing yet. */
  readonly cursor: string | null
}

interface LogParts {
  readonly store: StoreReader
  readonly outputs: OutputStore
}

/** The log of a deployment as entries: all of it, its last lines, or those of one service. */
export async function readDeploymentLog(parts: LogParts, id: string, query: LogQuery): Promise<LogEntry[]> {
  return (await readLogPage(parts, id, query)).entries
}

/** The same with the place that it ends at. */
export async function readLogPage({store, outputs}: LogParts, id: string, {tail = mostLines, service}: LogQuery): Promise<LogPage> {
  const log = await outputs.find(id)
  if (log === undefined) return {entries: [], cursor: null}
  const outcomes = await store.find(ServiceOutcomes, 'deployment', [id])
  const named = service === undefined ? undefined : (outcomes.find(({serviceId}) => serviceId === service)?.serviceName ?? service)
  const entries: LogEntry[] = []
  let seq = 0
  let last: string | null = null
  // A tail of one service can only be told from all of its lines.
  for await (const {line, level, at, serverId, cursor} of log.lines(named === undefined ? {tail} : {})) {
    seq += 1
    last = cursor
    const {step, serviceName} = parseSourceTag(serverId)
    if (named !== undefined && serviceName !== named) continue
    const serviceId = outcomes.find((outcome) => outcome.serviceName === serviceName)?.serviceId
    entries.push({timestamp: at, message: line, level, seq, ...(step !== undefined && {step}), ...(serviceName !== undefined && {serviceName}), ...(serviceId !== undefined && {serviceId})})
    if (entries.length > tail) entries.shift()
  }
  return {entries, cursor: last}
}
