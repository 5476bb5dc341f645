import {Fault, invalidInput, type FieldError} from '../../../src/contract/faults.js'
import {parseSchedule} from '../../../src/schedule/parse-schedule.js'
import {checkZone} from '../../../src/schedule/zone.js'
import {toInstant} from '../../clock.js'
import type {DueTimes} from '../due-times.js'
import type {JobRecord} from '../records.js'
import {isBlank, type JobWish} from './job-settings.js'
import {isTriggerEvent} from './trigger-events.js'

const mostServers = 50

// Instants are written with four digits of year; jitter and a lead of hours must not carry one past them.
const latestRunAtMs = Date.UTC(9999, 0, 1)

type Schedule = Pick<JobRecord, 'scheduleType' | 'cronExpression' | 'runAt'>

export interface WishContext {
  readonly dueTimes: DueTimes
  readonly nowMs: number
  /** Of the whole map of secrets, where it is given. */
  readonly seal: (values: Readonly<Record<string, string>>) => Record<string, string>
  /** System jobs run on no server. */
  readonly isSystem?: boolean
}

/**
 * Lays what a person wants over a job (or over a blank one) and checks what comes out; throws VALIDATION_ERROR with every field that is wrong.
 * Members that are absent keep their value; maps and lists are replaced whole; null clears. What it is due is reckoned anew only if its schedule changed.
 */
export function applyWish(base: JobRecord, wish: JobWish, context: WishContext): JobRecord {
  const errors: FieldError[] = []
  const schedule = mergeSchedule(base, wish, context.nowMs, errors)
  const job: JobRecord = {
    ...base,
    ...plainSettings(base, wish),
    ...schedule,
    serverIds: context.isSystem === true ? [] : mergeServers(base, wish, errors),
    secrets: wish.secrets === undefined ? base.secrets : context.seal(wish.secrets),
    enabled: wish.enabled ?? base.enabled,
    updatedAt: toInstant(context.nowMs),
  }
  collect(errors, () => {
    if (wish.timeZone !== undefined && wish.timeZone !== null) checkZone(wish.timeZone)
  })
  checkEnabling(base, wish, job, context.nowMs, errors)
  checkNames(job, wish, errors)
  for (const id of wish.triggerEvents ?? []) if (!isTriggerEvent(id)) errors.push({path: '/triggerEvents', message: `${id} is not an event that can start a job`})
  if (errors.length > 0) throw invalidInput(errors)
  return withDue(base, withExpectation(base, job, context.nowMs), context)
}

function plainSettings(base: JobRecord, wish: JobWish) {
  const given = <T>(value: T | undefined, kept: T): T => (value === undefined ? kept : value)
  return {
    label: given(wish.label?.trim(), base.label),
    command: given(wish.command?.trim(), base.command),
    timeZone: given(wish.timeZone, base.timeZone),
    jitterSeconds: given(wish.jitterSeconds, base.jitterSeconds),
    overlap: given(wish.overlap, base.overlap),
    misfire: given(wish.misfire, base.misfire),
    timeoutMs: given(wish.timeoutMs, base.timeoutMs),
    retry: given(wish.retry, base.retry),
    env: given(wish.env, base.env),
    parameters: given(wish.parameters, base.parameters),
    outputLimitBytes: given(wish.outputLimitBytes, base.outputLimitBytes),
    separateStderr: given(wish.separateStderr, base.separateStderr),
    dependsOn: toList(wish.dependsOn, base.dependsOn),
    onFailure: toList(wish.onFailure, base.onFailure),
    triggerEvents: toList(wish.triggerEvents, base.triggerEvents),
    expectSuccessWithinMs: given(wish.expectSuccessWithinMs, base.expectSuccessWithinMs),
    notifyConfig: given(wish.notifyConfig, base.notifyConfig),
  }
}

function toList(wanted: readonly string[] | null | undefined, kept: string[]): string[] {
  return wanted === undefined ? kept : [...new Set(wanted ?? [])]
}

/** The servers that a body names: `serverIds`, then `serverId`, each once. Empty where it names none. */
export function namedServers(wish: Pick<JobWish, 'serverId' | 'serverIds'>): string[] {
  return [...new Set([...(wish.serverIds ?? []), ...(wish.serverId === undefined ? [] : [wish.serverId])])]
}

function mergeServers(base: JobRecord, wish: JobWish, errors: FieldError[]): string[] {
  const named = namedServers(wish)
  const serverIds = named.length > 0 ? named : base.serverIds
  if (serverIds.length === 0) errors.push({path: '/serverIds', message: 'name at least one server'})
  if (serverIds.length > mostServers) errors.push({path: '/serverIds', message: `holds at most ${mostServers} servers`})
  return serverIds
}

function mergeSchedule(base: JobRecord, wish: JobWish, nowMs: number, errors: FieldError[]): Schedule {
  const scheduleType = wish.scheduleType ?? base.scheduleType
  const touched = isBlank(base) || wish.scheduleType !== undefined || wish.cronExpression !== undefined || wish.runAt !== undefined
  if (!touched) return {scheduleType, cronExpression: base.cronExpression, runAt: base.runAt}
  const cronExpression = wish.cronExpression === undefined ? base.cronExpression : (wish.cronExpression?.trim() ?? null)
  // Also where it is not kept: a mistake is told, not dropped.
  if (typeof wish.cronExpression === 'string') collect(errors, () => parseSchedule(wish.cronExpression ?? ''))
  if (scheduleType === 'manual') return {scheduleType, cronExpression: null, runAt: null}
  if (scheduleType === 'recurring') {
    if (cronExpression === null) errors.push({path: '/cronExpression', message: 'a recurring job needs a cron expression'})
    return {scheduleType, cronExpression, runAt: null}
  }
  return {scheduleType, cronExpression: null, runAt: mergeRunAt(base, wish, nowMs, errors)}
}

function mergeRunAt(base: JobRecord, wish: JobWish, nowMs: number, errors: FieldError[]): string | null {
  const runAt = wish.runAt === undefined ? base.runAt : wish.runAt
  if (runAt === null) {
    errors.push({path: '/runAt', message: 'a job that runs once needs the time to run at'})
    return null
  }
  const runAtMs = Date.parse(runAt)
  if (runAtMs >= latestRunAtMs) {
    errors.push({path: '/runAt', message: 'must lie before the year 9999'})
    return null
  }
  const instant = toInstant(runAtMs)
  if (instant !== base.runAt && Date.parse(instant) <= nowMs) errors.push({path: '/runAt', message: `${instant} is in the past`})
  return instant
}

// A once job that has fired, or whose time passed while it was disabled, needs a new time to be armed again.
function checkEnabling(base: JobRecord, wish: JobWish, job: JobRecord, nowMs: number, errors: FieldError[]): void {
  if (wish.enabled !== true || base.enabled || job.scheduleType !== 'once' || errors.some((error) => error.path === '/runAt')) return
  if (job.runAt === null) errors.push({path: '/runAt', message: 'the job has run; give a new time to run at'})
  else if (Date.parse(job.runAt) <= nowMs) errors.push({path: '/runAt', message: `${job.runAt} is in the past; give a new time to run at`})
}

function checkNames(job: JobRecord, wish: JobWish, errors: FieldError[]): void {
  if (wish.parameters === undefined && wish.env === undefined && wish.secrets === undefined) return
  const seen = new Set<string>()
  for (const [index, {name}] of job.parameters.entries()) {
    const path = `/parameters/${index}/name`
    if (seen.has(name)) errors.push({path, message: `${name} is declared twice`})
    if (Object.hasOwn(job.env, name)) errors.push({path, message: `${name} is a variable of env too`})
    if (Object.hasOwn(job.secrets, name)) errors.push({path, message: `${name} is a secret too`})
    seen.add(name)
  }
}

function withExpectation(base: JobRecord, job: JobRecord, nowMs: number): JobRecord {
  if (job.expectSuccessWithinMs === null) return {...job, expectedSince: null, overdue: false}
  const isFresh = base.expectSuccessWithinMs === null || (job.enabled && !base.enabled)
  if (isFresh) return {...job, expectedSince: toInstant(nowMs), overdue: false}
  return base.expectSuccessWithinMs === job.expectSuccessWithinMs ? job : {...job, overdue: false}
}

const scheduleFields = ['scheduleType', 'cronExpression', 'runAt', 'timeZone', 'jitterSeconds', 'enabled'] as const

function withDue(base: JobRecord, job: JobRecord, {dueTimes, nowMs}: WishContext): JobRecord {
  const isSame = !isBlank(base) && scheduleFields.every((field) => base[field] === job[field])
  return isSame ? job : {...job, ...dueTimes.dueAfter(job, nowMs)}
}

function collect(errors: FieldError[], check: () => unknown): void {
  try {
    check()
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    errors.push(...error.errors)
  }
}
