import type {Client} from '../client/client.js'
import {Fault} from '../contract/faults.js'
import type {Run} from '../contract/run.js'

/** A run, or a fault that says which one is not there. */
export async function getRun(api: Client, runId: string, signal: AbortSignal): Promise<Run> {
  return forRun(runId, async () => (await api.jobs.showRun({params: {runId}}, {signal})).data)
}

/** Puts the id into the fault of a run that is not there. */
export async function forRun<T>(runId: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== 'NOT_FOUND') throw error
    throw new Fault('NOT_FOUND', `no run ${runId}`, {details: {run: runId}, suggestions: ['runs list'], cause: error})
  }
}
