import type {z} from 'zod'
import type {RunEvent} from '../../src/contract/run.js'
import type {StreamFrame} from '../http/handlers.js'
import type {OutputStore} from '../store/output.js'
import type {Store} from '../store/store.js'
import {Runs, type RunRecord} from './records.js'
import {notFound} from './run-access.js'
import type {RunFeed} from './run-feed.js'
import {toRunView} from './run-view.js'

export interface RunStreamParts {
  readonly store: Store
  readonly outputs: OutputStore
  readonly feed: RunFeed
}

export interface RunStreamRequest {
  readonly runId: string
  readonly lastEventId: string | undefined
  readonly tail: number | undefined
  readonly signal: AbortSignal
}

type RunEventInput = z.input<typeof RunEvent>

/**
 * A run as it happens: its state, its stored output, then what comes, then its end. Everything is read from what is stored, so a reader
 * may be as slow as it likes and costs no memory; the feed only says that there is more.
 */
export async function* streamRun(parts: RunStreamParts, {runId, lastEventId, tail, signal}: RunStreamRequest): AsyncGenerator<StreamFrame> {
  const watcher = parts.feed.watch(runId)
  try {
    let run = await getRun(parts.store, runId)
    yield toFrame({type: 'snapshot', run: toRunView(run)})
    let cursor = lastEventId
    let last = lastEventId === undefined ? tail : undefined
    for (;;) {
      // Read after the state: a run seen as ended has all of its output stored.
      const ended = !run.active
      const log = await parts.outputs.find(runId)
      if (log !== undefined) {
        // A tail of nothing begins after the last line there is.
        for await (const {cursor: id, line, partial, serverId, level, at} of log.lines({cursor, tail: last === 0 ? 1 : last})) {
          cursor = id
          if (last !== 0) yield toFrame({type: 'log', line, level, serverId, at, ...(partial ? {partial} : {})}, id)
        }
      }
      last = undefined
      if (ended) break
      await watcher.next(signal)
      run = await getRun(parts.store, runId)
    }
    yield toFrame({type: 'complete', status: run.status, endReason: run.endReason, error: run.error})
  } finally {
    watcher.close()
  }
}

/** Refuses an id that the output of this run never gave out, while a refusal can still be an answer of its own. */
export async function checkPosition({outputs}: RunStreamParts, runId: string, lastEventId: string | undefined): Promise<void> {
  if (lastEventId === undefined) return
  const log = await outputs.find(runId)
  const lines = log?.lines({cursor: lastEventId})[Symbol.asyncIterator]()
  await lines?.next()
  await lines?.return?.()
}

async function getRun(store: Store, runId: string): Promise<RunRecord> {
  const run = await store.get(Runs, runId)
  if (run === undefined) throw notFound()
  return run
}

function toFrame(data: RunEventInput, id?: string): StreamFrame {
  return id === undefined ? {data} : {id, data}
}
