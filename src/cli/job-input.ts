import {boolean, custom, integer, string} from '@oclif/core/flags'
import type {Variables} from '../config/environment.js'
import type {JobUpdate} from '../contract/job.js'
import {Fault} from '../contract/faults.js'
import {duration} from './global-flags.js'
import {toJobKey} from './job-key.js'
import {parsePairs, readSecrets} from './pairs.js'

const several = {multiple: true, multipleNonGreedy: true} as const
const states = ['running', 'success', 'failed'] as const

const sizeUnits: Readonly<Record<string, number>> = {'': 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3}
const size = custom<number>({
  parse: (input) => {
    const match = /^(\d+)\s*([kmg]?)(?:i?b)?$/i.exec(input)
    if (match === null) throw new Error(`expected a size such as 256MiB, not ${JSON.stringify(input)}`)
    return Promise.resolve(Number(match[1]) * (sizeUnits[(match[2] ?? '').toLowerCase()] ?? 1))
  },
  helpValue: 'SIZE',
})

/** Everything a person may set of a job. */
export const jobFlags = {
  label: string({description: 'what people call it; the name unless given'}),
  command: string({char: 'c', description: 'shell text to run on each server', helpValue: 'TEXT'}),
  server: string({char: 's', description: 'id or name of a server to run on', ...several}),
  cron: string({description: 'five fields, six with seconds first, or @daily and the like', helpValue: 'EXPRESSION', exclusive: ['at', 'manual']}),
  at: string({description: 'run once at this instant, ISO 8601 with Z or an offset', helpValue: 'TIME', exclusive: ['manual']}),
  manual: boolean({description: 'run only by hand, by event or after other jobs'}),
  'time-zone': string({description: 'zone the schedule is read in, such as Europe/Berlin', helpValue: 'ZONE'}),
  jitter: duration({description: 'spread the start over this long'}),
  overlap: string({description: 'when it is due and still running', options: ['skip', 'queue', 'allow', 'replace']}),
  misfire: string({description: 'when a fire was missed', options: ['skip', 'once', 'all']}),
  'run-timeout': duration({description: 'how long a run may take'}),
  attempts: integer({description: 'tries of a run, the first counted', helpValue: 'N'}),
  backoff: duration({description: 'pause between tries', dependsOn: ['attempts']}),
  env: string({char: 'e', description: 'environment variable of the command', helpValue: 'NAME=VALUE', ...several}),
  secret: string({description: 'secret variable, taken from your environment', helpValue: 'NAME', ...several}),
  'secret-file': string({description: 'secret variable, taken from a file', helpValue: 'NAME=PATH', ...several}),
  parameter: string({description: 'variable that may be given at run, with its default', helpValue: 'NAME[=DEFAULT]', ...several}),
  'required-parameter': string({description: 'variable that has to be given at run', helpValue: 'NAME', ...several}),
  'output-limit': size({description: 'output kept of each server, such as 256MiB'}),
  'separate-stderr': boolean({description: 'tell stderr apart in the output', allowNo: true}),
  'depends-on': string({description: 'run after this job has succeeded', helpValue: 'JOB', ...several}),
  'on-failure': string({description: 'job to run when this one fails', helpValue: 'JOB', ...several}),
  'trigger-event': string({description: 'run on this event; jobs events lists them', helpValue: 'EVENT', ...several}),
  'expect-success-within': duration({description: 'report it as overdue when it has not succeeded for this long'}),
  'notify-channel': string({description: 'notification channel', helpValue: 'ID', ...several}),
  'notify-on': string({description: 'state to notify about (failed unless given)', options: [...states], dependsOn: ['notify-channel'], ...several}),
}

export const jobFieldFlags = {
  label: '--label', command: '--command', serverIds: '--server', serverId: '--server', cronExpression: '--cron', runAt: '--at', timeZone: '--time-zone', jitterSeconds: '--jitter',
  overlap: '--overlap', misfire: '--misfire', timeoutMs: '--run-timeout', retry: '--attempts', env: '--env', secrets: '--secret', parameters: '--parameter',
  outputLimitBytes: '--output-limit', dependsOn: '--depends-on', onFailure: '--on-failure', triggerEvents: '--trigger-event',
  expectSuccessWithinMs: '--expect-success-within', notifyConfig: '--notify-channel', name: 'NAME', scheduleType: '--cron',
}

type Texts = string[] | undefined

export interface JobFlagValues {
  readonly label?: string | undefined
  readonly command?: string | undefined
  readonly cron?: string | undefined
  readonly at?: string | undefined
  readonly manual: boolean
  readonly 'time-zone'?: string | undefined
  readonly jitter?: number | undefined
  readonly overlap?: string | undefined
  readonly misfire?: string | undefined
  readonly 'run-timeout'?: number | undefined
  readonly attempts?: number | undefined
  readonly backoff?: number | undefined
  readonly env?: Texts
  readonly secret?: Texts
  readonly 'secret-file'?: Texts
  readonly parameter?: Texts
  readonly 'required-parameter'?: Texts
  readonly 'output-limit'?: number | undefined
  readonly 'separate-stderr'?: boolean | undefined
  readonly 'depends-on'?: Texts
  readonly 'on-failure'?: Texts
  readonly 'trigger-event'?: Texts
  readonly 'expect-success-within'?: number | undefined
  readonly 'notify-channel'?: Texts
  readonly 'notify-on'?: Texts
}

/** The flags as the API takes them; only what was given is there. */
export async function readJob(flags: JobFlagValues, serverIds: readonly string[], variables: Variables): Promise<JobUpdate> {
  const {secret = [], 'secret-file': secretFiles = []} = flags
  const hasSecrets = flags.secret !== undefined || flags['secret-file'] !== undefined
  return withoutUndefined({
    label: flags.label,
    command: flags.command,
    ...(serverIds.length > 0 && {serverIds: [...serverIds]}),
    ...schedule(flags),
    jitterSeconds: toSeconds(flags.jitter, '--jitter'),
    overlap: (['skip', 'queue', 'allow', 'replace'] as const).find((known) => known === flags.overlap),
    misfire: (['skip', 'once', 'all'] as const).find((known) => known === flags.misfire),
    timeoutMs: flags['run-timeout'],
    retry: flags.attempts === undefined ? undefined : {maxAttempts: flags.attempts, backoffSeconds: toSeconds(flags.backoff, '--backoff') ?? 0},
    env: flags.env === undefined ? undefined : parsePairs(flags.env, '--env'),
    secrets: hasSecrets ? await readSecrets(secret, secretFiles, variables) : undefined,
    parameters: parameters(flags),
    outputLimitBytes: flags['output-limit'],
    separateStderr: flags['separate-stderr'],
    dependsOn: flags['depends-on']?.map(toJobKey),
    onFailure: flags['on-failure']?.map(toJobKey),
    triggerEvents: flags['trigger-event'],
    expectSuccessWithinMs: flags['expect-success-within'],
    notifyConfig: notification(flags),
  })
}

function schedule(flags: JobFlagValues): JobUpdate {
  const timeZone = flags['time-zone']
  const zone = timeZone === undefined ? {} : {timeZone}
  if (flags.cron !== undefined) return {scheduleType: 'recurring', cronExpression: flags.cron, ...zone}
  if (flags.at !== undefined) return {scheduleType: 'once', runAt: flags.at, ...zone}
  return flags.manual ? {scheduleType: 'manual', ...zone} : zone
}

function parameters(flags: JobFlagValues): JobUpdate['parameters'] {
  const {parameter, 'required-parameter': required} = flags
  if (parameter === undefined && required === undefined) return undefined
  const optional = (parameter ?? []).map((text) => {
    const at = text.indexOf('=')
    return at === -1 ? {name: text, required: false} : {name: text.slice(0, at), required: false, default: text.slice(at + 1)}
  })
  return [...optional, ...(required ?? []).map((name) => ({name, required: true}))]
}

function notification(flags: JobFlagValues): JobUpdate['notifyConfig'] {
  const {'notify-channel': channels, 'notify-on': on} = flags
  if (channels === undefined) return undefined
  return {channels, states: states.filter((state) => (on ?? ['failed']).includes(state))}
}

function toSeconds(durationMs: number | undefined, flag: string): number | undefined {
  if (durationMs === undefined) return undefined
  if (durationMs % 1000 !== 0) throw new Fault('USAGE', `${flag} takes whole seconds`, {details: {flag}})
  return durationMs / 1000
}

function withoutUndefined<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as T
}
