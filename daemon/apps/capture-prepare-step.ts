import {findPattern} from '../../src/catalog/bounded-match.js'
import type {PrepareStep} from '../../src/catalog/definition.js'
import {Fault} from '../../src/contract/faults.js'
import {sleep, type Clock} from '../clock.js'
import type {Engine} from '../servers/engine/engine.js'
import {TimeoutError, withinDeadline} from './within-deadline.js'

export interface CaptureParts {
  readonly engine: Pick<Engine, 'exec'>
  readonly clock: Clock
  readonly containerId: string
  readonly signal: AbortSignal
}

/** Why a prepare step came to nothing. What the container said may be part of it. */
export class PrepareFailure extends Error {
  override readonly name = 'PrepareFailure'
}

const limitMs = 15_000
const attempts = 5
const pauseMs = 3_000
const readiness = {intervalMs: 3_000, retries: 10}
const longestValue = 10_000
const maxOutputBytes = 1_000_000

/** Waits until the service is ready, runs the command of a step, and answers with the value that it gives. */
export async function capturePrepareStep(parts: CaptureParts, step: PrepareStep): Promise<string> {
  if (step.phase === 'post-ready' && step.readiness !== undefined) await untilReady(parts, step.readiness)
  let failure: PrepareFailure | undefined
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    if (attempt > 1) await sleep(parts.clock, pauseMs, parts.signal)
    const outcome = await attemptStep(parts, step)
    if (!(outcome instanceof PrepareFailure)) return outcome
    failure = outcome
  }
  throw failure
}

async function untilReady(parts: CaptureParts, {test, interval = readiness.intervalMs, retries = readiness.retries}: NonNullable<PrepareStep['readiness']>): Promise<void> {
  for (let attempt = 1; attempt <= retries; attempt += 1) {
    const ran = await runShell(parts, test)
    if (!(ran instanceof PrepareFailure)) return
    if (attempt < retries) await sleep(parts.clock, interval, parts.signal)
  }
  throw new PrepareFailure(`the service was not ready after ${retries} looks at it`)
}

async function attemptStep(parts: CaptureParts, {command, capturePattern}: PrepareStep): Promise<string | PrepareFailure> {
  const ran = await runShell(parts, command)
  if (ran instanceof PrepareFailure) return ran
  const value = capturePattern === undefined ? ran : findPattern(capturePattern, ran)?.trim()
  if (value === undefined || value === '') return new PrepareFailure(capturePattern === undefined ? 'the command printed nothing' : 'what the command printed does not hold the value')
  return value.length > longestValue ? new PrepareFailure(`the value is longer than ${longestValue} characters`) : value
}

/** What shell text in the container prints, trimmed; or why it did not go well. */
async function runShell({engine, clock, containerId, signal}: CaptureParts, command: string): Promise<string | PrepareFailure> {
  try {
    const {exitCode, stdout, stderr} = await withinDeadline({clock, limitMs, signal}, (within) => engine.exec(containerId, ['sh', '-c', command], {signal: within, maxOutputBytes}))
    if (exitCode === 0) return stdout.trim()
    const said = stderr.trim().split('\n').at(-1) ?? ''
    return new PrepareFailure(`the command ended with ${exitCode ?? 'a signal'}${said === '' ? '' : `: ${said}`}`)
  } catch (error) {
    if (error instanceof TimeoutError) return new PrepareFailure(`the command took longer than ${limitMs / 1000} s`)
    // Its container is restarting, or gone.
    if (error instanceof Fault && (error.code === 'NOT_FOUND' || error.code === 'CONFLICT')) return new PrepareFailure(error.message)
    throw error
  }
}
