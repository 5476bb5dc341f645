import {readFile} from 'node:fs/promises'
import path from 'node:path'
import type {Document, LineCounter} from 'yaml'
import type {Client} from '../client/client.js'
import type {Variables} from '../config/environment.js'
import {Fault, type FieldError} from '../contract/faults.js'
import {pickServer} from './find-by-name.js'
import {JobFile, type FileJob} from './job-file-schema.js'
import {toJobKey} from './job-key.js'
import {secretFromFile, secretFromVariable} from './pairs.js'

export interface JobFileContext {
  readonly api: Client
  readonly variables: Variables
  readonly signal: AbortSignal
}

type ApplyBody = NonNullable<Parameters<Client['jobs']['apply']>[0]>['body']
type DeclaredJob = ApplyBody['jobs'][number]

/** Reads a job file into what the API takes: references resolved, names turned into ids and keys. Every mistake is told with its line. */
export async function readJobFile(file: string, context: JobFileContext): Promise<Pick<ApplyBody, 'manifest' | 'jobs'>> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new Fault('USAGE', `can not read ${file}`, {details: {file}, cause: error})
  })
  const parsed = await parseJobFile(file, text)
  const servers = parsed.jobs.some((job) => job.servers !== undefined) ? await context.api.servers.list({}, {signal: context.signal}) : []
  const jobs = await Promise.all(
    parsed.jobs.map(async (job): Promise<DeclaredJob> => {
      const {servers: names, secrets, dependsOn, onFailure, label, ...rest} = job
      return {
        ...rest,
        label: label ?? job.name,
        scheduleType: job.scheduleType ?? (job.cronExpression == null ? (job.runAt == null ? 'manual' : 'once') : 'recurring'),
        ...(names !== undefined && {serverIds: names.map((name) => pickServer(servers, name).id)}),
        ...(dependsOn !== undefined && {dependsOn: dependsOn?.map(toJobKey) ?? null}),
        ...(onFailure !== undefined && {onFailure: onFailure?.map(toJobKey) ?? null}),
        ...(secrets !== undefined && {secrets: await resolveSecrets(job.name, secrets, path.dirname(file), context.variables)}),
      }
    }),
  )
  return {manifest: parsed.manifest, jobs}
}

/** Parses YAML (or JSON, which is YAML too) strictly. */
export async function parseJobFile(file: string, text: string): Promise<JobFile> {
  const {parseYamlText} = await import('./yaml-text.js')
  const {document, lines} = parseYamlText(text)
  const [broken] = document.errors
  if (broken !== undefined) {
    const {line} = lines.linePos(broken.pos[0])
    throw invalidFile(file, [{path: '', message: broken.message.split('\n', 1)[0] ?? '', line}])
  }
  const value: unknown = document.toJS({maxAliasCount: 100})
  const result = JobFile.safeParse(value)
  if (result.success) return checkNames(file, result.data, document, lines)
  throw invalidFile(
    file,
    result.error.issues.flatMap((issue) => {
      const keys = issue.code === 'unrecognized_keys' ? issue.keys : [undefined]
      return keys.map((key) => {
        const at = key === undefined ? issue.path : [...issue.path, key]
        return {path: toPointer(at), message: key === undefined ? issue.message : `${key} is not a field of a job file`, line: lineOf(document, lines, at)}
      })
    }),
  )
}

function checkNames(file: string, parsed: JobFile, document: Document, lines: LineCounter): JobFile {
  const seen = new Set<string>()
  const twice = parsed.jobs.flatMap(({name}, index) => {
    const isTwice = seen.has(name)
    seen.add(name)
    return isTwice ? [{path: `/jobs/${index}/name`, message: `the name ${name} is there twice`, line: lineOf(document, lines, ['jobs', index, 'name'])}] : []
  })
  if (twice.length > 0) throw invalidFile(file, twice)
  return parsed
}

async function resolveSecrets(job: string, secrets: NonNullable<FileJob['secrets']>, folder: string, variables: Variables): Promise<Record<string, string>> {
  const entries = Object.entries(secrets).map(async ([name, reference]) => {
    const said = `secret ${name} of ${job}`
    if ('fromEnv' in reference) return [name, secretFromVariable(variables, reference.fromEnv, said)] as const
    return [name, await secretFromFile(path.resolve(folder, reference.fromFile), said)] as const
  })
  return Object.fromEntries(await Promise.all(entries))
}

interface FileError extends FieldError {
  readonly line: number
}

function invalidFile(file: string, errors: readonly FileError[]): Fault {
  const sorted = [...errors].sort((a, b) => a.line - b.line)
  const [first] = sorted
  return new Fault('VALIDATION_ERROR', `${file}:${first?.line ?? 1}: ${first?.path.slice(1) ?? ''}${first?.path ? ' ' : ''}${first?.message ?? ''}`, {
    details: {file, lines: sorted.map(({line, path: at, message}) => ({line, path: at, message}))},
    errors: sorted.map(({line, path: at, message}) => ({path: at, message: `${message} (line ${line})`})),
  })
}

function toPointer(at: readonly PropertyKey[]): string {
  return at.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

// The nearest thing that is there: a missing field has no place of its own.
function lineOf(document: Document, lines: LineCounter, at: readonly PropertyKey[]): number {
  for (let length = at.length; length > 0; length -= 1) {
    const node = document.getIn(at.slice(0, length), true)
    const range = typeof node === 'object' && node !== null && 'range' in node && Array.isArray(node.range) ? node.range : undefined
    if (range !== undefined) return lines.linePos(Number(range[0])).line
  }
  return 1
}
