import {constants} from 'node:fs'
import {access, stat, statfs} from 'node:fs/promises'
import type {Client} from '../client/client.js'
import {isExposed, readContexts} from '../config/contexts.js'
import {findDaemon} from '../config/daemon-record.js'
import type {Paths} from '../config/paths.js'
import {Fault} from '../contract/faults.js'
import type {Target} from './target.js'
import {formatBytes} from './time-text.js'

export interface Check {
  readonly name: string
  readonly status: 'pass' | 'warn' | 'fail'
  readonly detail: string
}

export interface DoctorContext {
  readonly paths: Paths
  readonly version: string
  readonly signal: AbortSignal
  readonly target: () => Promise<Target>
  readonly api: Client
}

const leastFreeBytes = 500 * 1024 ** 2

/** Looks at what most often stands in the way; changes nothing. One failing check does not hide the next. */
export async function runChecks(context: DoctorContext): Promise<Check[]> {
  const local = await Promise.all([check('contexts', () => checkContexts(context.paths)), check('home', () => checkHome(context.paths.home)), check('daemon', () => checkDaemon(context.paths))])
  const target = await check('address', () => checkTarget(context))
  const remote = target.status === 'fail' ? [] : [await check('api', () => checkApi(context)), await check('token', () => checkToken(context)), await check('scheduler', () => checkScheduler(context))]
  return [...local, target, ...remote]
}

type Finding = Omit<Check, 'name'>

async function check(name: string, look: () => Promise<Finding>): Promise<Check> {
  try {
    return {name, ...(await look())}
  } catch (error) {
    if (error instanceof Fault) return {name, status: 'fail', detail: error.message}
    throw error
  }
}

async function checkContexts({contextsFile}: Paths): Promise<Finding> {
  const {contexts} = await readContexts(contextsFile)
  if (await isExposed(contextsFile)) return {status: 'warn', detail: `${contextsFile} may be read by others: chmod 600`}
  return {status: 'pass', detail: `${Object.keys(contexts).length} contexts in ${contextsFile}`}
}

async function checkHome(home: string): Promise<Finding> {
  const found = await stat(home).catch(() => undefined)
  if (found === undefined) return {status: 'pass', detail: `${home} is not there yet; the first start makes it`}
  if (!found.isDirectory()) return {status: 'fail', detail: `${home} is not a folder`}
  const writable = await access(home, constants.W_OK).then(() => true, () => false)
  if (!writable) return {status: 'warn', detail: `${home} belongs to another user`}
  const {bavail, bsize} = await statfs(home)
  const free = `${formatBytes(bavail * bsize)} free on ${home}`
  return bavail * bsize < leastFreeBytes ? {status: 'warn', detail: `only ${free}`} : {status: 'pass', detail: free}
}

async function checkDaemon({homes}: Paths): Promise<Finding> {
  for (const home of homes) {
    const daemon = await findDaemon(home)
    if (daemon !== undefined) return {status: 'pass', detail: `runs at ${daemon.url}, process ${daemon.pid}, home ${home}`}
  }
  return {status: 'pass', detail: 'none runs on this machine'}
}

async function checkTarget({target}: DoctorContext): Promise<Finding> {
  const {baseUrl, source, contextName} = await target()
  return {status: 'pass', detail: `${baseUrl}, chosen by ${source}${contextName === null ? '' : ` (${contextName})`}`}
}

async function checkApi({api, signal, version}: DoctorContext): Promise<Finding> {
  const environment = await api.health.environment({}, {signal})
  if (environment.version === version) return {status: 'pass', detail: `answers, version ${version}`}
  return {status: 'warn', detail: `answers with version ${environment.version}, this program is ${version}`}
}

async function checkToken({api, signal}: DoctorContext): Promise<Finding> {
  const {data} = await api.auth.whoami({}, {signal})
  return {status: 'pass', detail: `${data.credential.name} of ${data.user.name}${data.credential.expiresAt === null ? '' : `, ends ${data.credential.expiresAt}`}`}
}

async function checkScheduler({api, signal}: DoctorContext): Promise<Finding> {
  const {scheduler, store} = await api.health.status({}, {signal})
  if (store.state !== 'ok') return {status: 'fail', detail: `the store is ${store.state}: ${store.message ?? ''}`}
  if (scheduler.state === 'stopped') return {status: 'fail', detail: `schedules have stopped: ${scheduler.reason ?? 'no reason known'}`}
  return {status: scheduler.state === 'off' ? 'warn' : 'pass', detail: `schedules are ${scheduler.state}${scheduler.reason === null ? '' : `: ${scheduler.reason}`}`}
}
