import {wait} from '../client/wait.js'
import type {Job} from '../contract/job.js'
import type {Run} from '../contract/run.js'
import {readServerNames} from './server-names.js'
import type {ShowRunContext} from './show-run.js'
import {advance, startState, withRun, type RunViewState} from './views/run-view-state.js'
import type {WatchView} from './views/watch-view.js'
import {waitForRun} from './wait-for-run.js'

const lookMs = 2000

export interface WatchRunOptions {
  readonly view: WatchView
  readonly job: Job | undefined
  readonly timeoutMs: number | undefined
}

/** Follows a run in a view to its end. What happens on its servers the stream does not tell: that is looked up beside it. */
export async function watchRun({api, signal}: ShowRunContext, runId: string, {view, job, timeoutMs}: WatchRunOptions): Promise<Run> {
  const serverNames = await readServerNames(api, signal)
  let state: RunViewState = startState((await api.jobs.showRun({params: {runId}}, {signal})).data)
  const update = (next: RunViewState) => {
    state = next
    view.show({job, run: state, serverNames})
  }
  update(state)
  const over = new AbortController()
  const looking = lookAtServers(AbortSignal.any([signal, over.signal]))
  try {
    const run = await waitForRun(api, runId, {signal, timeoutMs, onEvent: (event) => update(advance(state, event))})
    update(withRun(state, run))
    return run
  } finally {
    over.abort()
    await looking
  }

  async function lookAtServers(until: AbortSignal): Promise<void> {
    try {
      for (;;) {
        await wait(lookMs, until)
        const {data} = await api.jobs.showRun({params: {runId}}, {signal: until})
        update(withRun(state, data))
      }
    } catch {
      // Only a picture of the servers is lost; the stream reports what does not pass.
    }
  }
}
