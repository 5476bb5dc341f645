import type {Run} from '../contract/run.js'
import {formatLogLine} from './run-lines.js'
import {readServerNames} from './server-names.js'
import type {ShowRunContext} from './show-run.js'

const quietMs = 500

/** Prints the output that a run has so far: the stream gives it at once, then falls silent. */
export async function printLines({api, out, signal}: ShowRunContext, run: Run, options: {tail: number | undefined; timestamps: boolean}): Promise<void> {
  const serverNames = run.serverId === null ? await readServerNames(api, signal) : new Map<string, string>()
  const quiet = new AbortController()
  let timer = setTimeout(() => quiet.abort(), quietMs)
  try {
    const events = await api.jobs.streamRun({params: {runId: run.id}, query: {tail: options.tail}}, {signal: AbortSignal.any([signal, quiet.signal])})
    for await (const {data} of events) {
      clearTimeout(timer)
      if (data.type === 'complete') return
      if (data.type === 'log') {
        if (out.json) await out.emit(data)
        else await out.write(`${formatLogLine(data, {serverNames, timestamps: options.timestamps, terminal: out.terminal})}\n`)
      }
      timer = setTimeout(() => quiet.abort(), quietMs)
    }
  } catch (error) {
    if (signal.aborted || !quiet.signal.aborted) throw error
  } finally {
    clearTimeout(timer)
  }
}
