import type {ContainerFacts} from '../../servers/engine/engine.js'

/** What a container has to be for its service to count as up. */
export interface Expectation {
  /** It may come to an end with code 0: it is a task, or its policy does not start it again. */
  readonly mayEnd: boolean
  /** How long a container without a health check has run already, as far as it was watched. */
  readonly ranMs: number
  readonly settleMs: number
  /** It takes connections, which only who has come up does. */
  readonly listens: boolean
  /** The engine told that it ran out of memory. */
  readonly sawOutOfMemory: boolean
}

export type Verdict =
  | {readonly kind: 'up'}
  | {readonly kind: 'wait'; readonly forMs: number | null}
  | {readonly kind: 'failed'; readonly reason: 'start' | 'unhealthy'; readonly why: string}

/** A service may need what starts beside it, and be started again a few times until that is there. */
const mostRestarts = 3
/** How often a container that says nothing of its health is looked at while it settles; it has run as long before it is asked whether it listens. */
export const askEveryMs = 125

/** Whether a container is up, still on its way, or will not get there. */
export function judgeContainer(container: ContainerFacts, expected: Expectation): Verdict {
  const {state, health, exitCode, restartCount} = container
  if (container.outOfMemory || (expected.sawOutOfMemory && (state === 'exited' || state === 'restarting' || restartCount > 0))) {
    return {kind: 'failed', reason: 'start', why: 'ran out of memory and was killed: it used more than it may'}
  }
  if (restartCount >= mostRestarts) return {kind: 'failed', reason: 'start', why: `keeps ending${exitCode === null || exitCode === 0 ? '' : ` with code ${exitCode}`} and being started again`}
  switch (state) {
    case 'running':
      return judgeRunning(container, expected)
    case 'exited':
    case 'dead':
      if (exitCode === 0 && expected.mayEnd) return {kind: 'up'}
      return {kind: 'failed', reason: 'start', why: exitCode === null ? 'did not start' : `ended with code ${exitCode}${exitCode === 0 ? ' although it should go on' : ''}`}
    case 'created':
    case 'restarting':
    case 'removing':
    case 'paused':
      return health === 'unhealthy' ? failedHealth(container) : {kind: 'wait', forMs: null}
  }
}

function judgeRunning(container: ContainerFacts, {ranMs, settleMs, listens}: Expectation): Verdict {
  switch (container.health) {
    case 'healthy':
      return {kind: 'up'}
    case 'unhealthy':
      return failedHealth(container)
    case 'starting':
      return {kind: 'wait', forMs: null}
    case null:
      if (ranMs >= settleMs || listens) return {kind: 'up'}
      return {kind: 'wait', forMs: Math.min(settleMs - ranMs, askEveryMs - (ranMs % askEveryMs))}
  }
}

function failedHealth({healthOutput}: ContainerFacts): Verdict {
  const output = healthOutput?.trim() ?? ''
  return {kind: 'failed', reason: 'unhealthy', why: `never became healthy${output === '' ? '' : `; its health check says: ${output}`}`}
}
