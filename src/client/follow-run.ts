import type {Run, RunEvent} from '../contract/run.js'
import type {Client} from './client.js'
import {followStream} from './follow-stream.js'

export interface FollowRunOptions {
  readonly signal: AbortSignal
  /** Begin with the last lines only. */
  readonly tail?: number
  readonly onReconnect?: (attempt: number) => void
}

const ended: ReadonlySet<string> = new Set(['success', 'failed', 'cancelled', 'skipped'])

export function hasEnded(run: Pick<Run, 'status'>): boolean {
  return ended.has(run.status)
}

/** Snapshot, output and end of a run. A stream that stops without its end is taken up again, and the run itself has the last word. */
export function followRun(client: Client, runId: string, {signal, tail, onReconnect}: FollowRunOptions): AsyncGenerator<RunEvent> {
  return followStream<RunEvent>({
    open: (call) => client.jobs.streamRun({params: {runId}, query: {tail}}, call),
    isLast: (event) => event.type === 'complete',
    readEnd: async () => {
      const run = (await client.jobs.showRun({params: {runId}}, {signal})).data
      return hasEnded(run) ? {type: 'complete', status: run.status, endReason: run.endReason, error: run.error} : undefined
    },
    signal,
    ...(onReconnect && {onReconnect}),
  })
}
