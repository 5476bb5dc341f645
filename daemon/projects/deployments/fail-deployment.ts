import {describeError} from '../../log.js'
import {sleep} from '../../clock.js'
import type {CarryOutParts} from './carry-out.js'
import {cleanUpFailed} from './clean-up-failed.js'
import type {DeploymentContext} from './deployment-context.js'
import {DeploymentFailure, isUnreachable, statusOf, toFailure} from './deployment-failure.js'
import type {DeploymentInHand} from './deployment-run.js'
import type {DeploymentEnding} from './end-deployment.js'
import {prepareContext} from './prepare-context.js'
import {Deployments, Releases} from './records.js'
import {restoreRelease} from './restore-release.js'
import {untilComposeIsDone} from './until-compose-is-done.js'

interface Restored {
  readonly id: string | null
  readonly interruptionMs: number | null
  /** Why it could not be brought back. */
  readonly trouble: string | null
}

const nothingTouched: Restored = {id: null, interruptionMs: null, trouble: null}
const eventLines = 50

/** Ends a deployment that does not go live. Where running services were touched, what was served before is brought back first, however long its server takes to answer or to have room. */
export async function failDeployment(parts: CarryOutParts, run: DeploymentInHand, cause: DeploymentFailure | null): Promise<void> {
  const {deployment, book, log} = run
  const failure = cause === null ? null : maskFailure(cause, log)
  const reason = failure?.message ?? 'the deployment was cancelled'
  log.line(reason, {level: failure === null ? 'warn' : 'error', service: failure?.service})
  if (failure?.service !== undefined) await book.failService(failure.service, failure.message)
  const record = (await parts.store.get(Deployments, deployment.id)) ?? deployment
  const restored = record.stage === 'before-up' ? nothingTouched : await bringBack(parts, run)
  await cleanUpFailed(parts, run, record)
  if (restored.trouble !== null) log.line(restored.trouble, {level: 'error'})
  await log.end()
  const logsTail = failure === null ? {} : {logsTail: await log.tail(eventLines)}
  await book.end({...toEnding(failure, {...restored, trouble: restored.trouble === null ? null : log.masked(restored.trouble)}), outputBytes: log.sizeBytes(), ...logsTail})
}

// Engines and programs repeat what containers and builds print.
function maskFailure({reason, message, service, code, details}: DeploymentFailure, log: DeploymentInHand['log']): DeploymentFailure {
  return new DeploymentFailure(reason, log.masked(message), {service, code, details: maskTexts(details, log) as Readonly<Record<string, unknown>>})
}

function maskTexts(value: unknown, log: DeploymentInHand['log']): unknown {
  if (typeof value === 'string') return log.masked(value)
  if (Array.isArray(value)) return value.map((item: unknown) => maskTexts(item, log))
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value).map(([key, item]: [string, unknown]) => [key, maskTexts(item, log)])) : value
}

function toEnding(failure: DeploymentFailure | null, {id, interruptionMs, trouble}: Restored): DeploymentEnding {
  const back = {restoredDeploymentId: id, interruptionMs}
  if (failure === null) return {...back, status: 'cancelled', endReason: 'user', errorMessage: trouble === null ? 'cancelled' : `cancelled; ${trouble}`}
  const errorMessage = trouble === null ? failure.message : `${failure.message}; ${trouble}`
  return {...back, status: statusOf(failure), endReason: failure.reason, errorMessage, errorCode: failure.code, errorDetails: {...failure.details}}
}

const firstWaitMs = 2_000
const longestWaitMs = 60_000

async function bringBack(parts: CarryOutParts, run: DeploymentInHand): Promise<Restored> {
  const {book, log, signals} = run
  log.waitFor('what was served before to be served again')
  for (let waitMs = firstWaitMs; ; waitMs = Math.min(waitMs * 2, longestWaitMs)) {
    try {
      const context = await prepareContext(parts, {...run, signal: signals.gone})
      await untilComposeIsDone(parts, context, signals.gone)
      return await restoreNow(parts, run, context)
    } catch (error) {
      if (signals.gone.aborted) throw error
      const why = error instanceof Error ? error.message : describeError(error)
      const obstacle = obstacleOf(error)
      if (obstacle === null) return {...nothingTouched, trouble: `what was served before could not be brought back: ${why}`}
      if (waitMs === firstWaitMs) log.line(`${obstacle}: ${why}`, {level: 'warn'})
      await book.patch({status: 'reconciling'})
      await sleep(parts.clock, waitMs, signals.gone)
    }
  }
}

/** What passes by itself, or with the help of somebody on the server. */
function obstacleOf(error: unknown): string | null {
  if (isUnreachable(error)) return 'the server does not answer; what was served before is brought back when it does'
  return toFailure(error).reason === 'disk' ? 'the disk of the server is full; what was served before is brought back when there is room' : null
}

async function restoreNow({clock, settleMs, store}: CarryOutParts, {log, signals, deployment, meter}: DeploymentInHand, context: DeploymentContext): Promise<Restored> {
  const {active} = context
  const own = await store.get(Releases, deployment.id)
  const touched = new Set(own?.services.filter(({changedIn}) => changedIn === deployment.id).map(({serviceId}) => serviceId))
  log.line(active === null ? 'take away what was started' : 'bring back what was served before')
  const id = await restoreRelease({...context, clock, settleMs, meter, release: active, touched, onUp: () => undefined, onLine: (line) => log.line(line), signal: signals.gone})
  const interruptionMs = meter.interruptionMs()
  if (id !== null) log.line(`what was served before is served again${interruptionMs === null ? '; it never stopped' : `; what changed did not run for ${(interruptionMs / 1000).toFixed(1)} s`}`)
  return {id, interruptionMs, trouble: null}
}
