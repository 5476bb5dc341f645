import type {Run, RunEvent, ServerResult} from '../../contract/run.js'
import {toTerminalText} from '../run-lines.js'

/** What a view of a run shows. */
export interface RunViewState {
  readonly runId: string
  readonly jobKey: string
  readonly status: Run['status']
  readonly startedAt: string | null
  readonly finishedAt: string | null
  readonly error: string | null
  readonly servers: readonly ServerResult[]
  /** The last lines, each with the id of its server. */
  readonly tail: readonly {readonly serverId: string | null; readonly text: string}[]
  readonly lineCount: number
}

export const shownLines = 12

export function startState(run: Run): RunViewState {
  return {...fromRun(run), tail: [], lineCount: 0}
}

/** The state after what has just come. */
export function advance(state: RunViewState, event: RunEvent): RunViewState {
  switch (event.type) {
    case 'snapshot':
      return withRun(state, event.run)
    case 'log':
      return {
        ...state,
        tail: [...state.tail, {serverId: event.serverId, text: toTerminalText(event.line)}].slice(-shownLines),
        lineCount: state.lineCount + 1,
      }
    case 'complete':
      return {...state, status: event.status, error: event.error}
  }
}

/** Takes what the run itself says of its servers; the stream tells only lines. */
export function withRun(state: RunViewState, run: Run): RunViewState {
  return {...state, ...fromRun(run)}
}

function fromRun(run: Run) {
  return {
    runId: run.id, jobKey: run.jobKey, status: run.status, startedAt: run.startedAt, finishedAt: run.finishedAt, error: run.error, servers: run.summary?.servers ?? [],
  }
}
