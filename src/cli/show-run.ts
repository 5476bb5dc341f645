import type {Client} from '../client/client.js'
import type {Run, RunEvent} from '../contract/run.js'
import type {Output} from './output.js'
import {formatLogLine} from './run-lines.js'
import {readServerNames} from './server-names.js'
import {waitForRun} from './wait-for-run.js'

export interface ShowRunContext {
  readonly api: Client
  readonly out: Output
  readonly signal: AbortSignal
}

export interface ShowRunOptions {
  /** Show the output as it comes; else only wait. */
  readonly lines: boolean
  readonly timestamps: boolean
  readonly tail: number | undefined
  readonly timeoutMs: number | undefined
}

/** Waits for the end of a run, with its output on stdout as lines, or with `--json` as one object a line. */
export async function showRunToEnd({api, out, signal}: ShowRunContext, runId: string, options: ShowRunOptions): Promise<Run> {
  const {lines, timestamps, timeoutMs} = options
  const progress = lines ? undefined : out.progress(`waiting for run ${runId}`)
  let serverNames: ReadonlyMap<string, string> = new Map()
  const show = async (event: RunEvent) => {
    if (!lines) return progress?.update(event.type === 'snapshot' ? `run ${runId} is ${event.run.status}` : `waiting for run ${runId}`)
    if (out.json) return out.emit(event)
    // Lines of several servers are told apart by their names.
    if (event.type === 'snapshot' && event.run.serverId === null && event.run.kind === 'custom') serverNames = await readServerNames(api, signal)
    if (event.type === 'log') await out.write(`${formatLogLine(event, {serverNames, timestamps, terminal: out.terminal})}\n`)
  }
  try {
    const tail = lines ? options.tail : 0
    return await waitForRun(api, runId, {
      signal, timeoutMs, onEvent: show, onReconnect: () => out.note('the connection was lost; connecting again'), ...(tail !== undefined && {tail}),
    })
  } finally {
    progress?.end()
  }
}
