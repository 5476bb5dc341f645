import {toProjectName} from '../../../src/compose/release.js'
import {sleep, type Clock} from '../../clock.js'
import type {Runner} from '../../servers/runner.js'
import type {DeploymentContext} from './deployment-context.js'

const askEveryMs = 500
const longestMs = 120_000
/** After each signal. */
const endMs = 10_000

export interface ComposeWaitParts {
  readonly clock: Clock
  readonly runnerFor: (serverId: string) => Promise<Runner>
}

/** Waits for a Compose that an earlier daemon, or a connection that broke, has left running on the server: two of them at once would undo each other. One that waits for something that never comes is ended. */
export async function untilComposeIsDone({clock, runnerFor}: ComposeWaitParts, {engine, facts, project}: Pick<DeploymentContext, 'engine' | 'facts' | 'project'>, signal: AbortSignal): Promise<void> {
  const runner = await runnerFor(engine.serverId)
  // Written so that the search does not find itself.
  const pattern = `[-]p ${toProjectName(project.slug)} -f compose.yml`
  const isDone = async (withinMs: number): Promise<boolean> => {
    for (let waitedMs = 0; waitedMs < withinMs; waitedMs += askEveryMs) {
      // Without pgrep it is not known, and the wait is over.
      const {exitCode} = await runner.exec(['pgrep', '-f', '--', pattern], {signal})
      if (exitCode !== 0) return true
      await sleep(clock, askEveryMs, signal)
    }
    return false
  }
  if (await isDone(longestMs)) return
  for (const name of ['TERM', 'KILL']) {
    await runner.exec(['pkill', `-${name}`, '-f', '--', pattern], {signal, sudo: facts.needsSudo})
    if (await isDone(endMs)) return
  }
}
