import type {ContainerFacts} from '../../servers/engine/engine.js'

/** What was heard of a container beyond what it is now. */
export interface Heard {
  /** Ends in a row that nobody asked for. */
  readonly deaths: number
  /** Somebody stopped it. */
  readonly onPurpose: boolean
  readonly outOfMemory: boolean
}

export type HealthVerdict =
  | {readonly status: 'well' | 'stopped' | 'unknown'}
  | {readonly status: 'unhealthy'; readonly reason: string}

/** As many ends in a row are no accident any more, although the engine starts it again. */
const mostDeaths = 3
// What is told to end ends so where it does not choose a code of its own: 128 and the number of TERM or KILL.
const endedByRequest: readonly (number | null)[] = [0, 143, 137, null]

/** How a service fares, by its container. `unknown` is no news: it is on its way. */
export function judgeHealth(container: ContainerFacts, {deaths, onPurpose, outOfMemory}: Heard): HealthVerdict {
  const {state, health, exitCode} = container
  if (onPurpose && state !== 'running') return {status: 'stopped'}
  if (state === 'running') return judgeRunning(container, {deaths, outOfMemory})
  if (state === 'exited' || state === 'dead') {
    if (container.outOfMemory || outOfMemory) return {status: 'unhealthy', reason: 'it was killed because it used more memory than it may'}
    if (deaths === 0 && endedByRequest.includes(exitCode)) return {status: 'stopped'}
    return exitCode === 0 ? {status: 'stopped'} : {status: 'unhealthy', reason: `it ended with code ${exitCode ?? 'unknown'}`}
  }
  if (state === 'restarting' && (deaths >= mostDeaths || outOfMemory)) return {status: 'unhealthy', reason: endless(outOfMemory, exitCode)}
  return health === 'unhealthy' ? {status: 'unhealthy', reason: failedCheck(container)} : {status: 'unknown'}
}

function judgeRunning(container: ContainerFacts, {deaths, outOfMemory}: Pick<Heard, 'deaths' | 'outOfMemory'>): HealthVerdict {
  if (container.health === 'unhealthy') return {status: 'unhealthy', reason: failedCheck(container)}
  if (deaths >= mostDeaths || outOfMemory) return {status: 'unhealthy', reason: endless(outOfMemory, null)}
  if (deaths > 0 || container.health === 'starting') return {status: 'unknown'}
  return {status: 'well'}
}

function endless(outOfMemory: boolean, exitCode: number | null): string {
  if (outOfMemory) return 'it was killed because it used more memory than it may'
  return `it keeps ending${exitCode === null ? '' : ` with code ${exitCode}`} and being started again`
}

function failedCheck({healthOutput}: ContainerFacts): string {
  const said = healthOutput?.trim() ?? ''
  return `its health check failed several times in a row${said === '' ? '' : `: ${said.slice(0, 500)}`}`
}
