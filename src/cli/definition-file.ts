import {isUtf8} from 'node:buffer'
import {open} from 'node:fs/promises'
import type {Readable} from 'node:stream'
import type {AppDefinition} from '../catalog/definition.js'
import {quoteWord} from '../catalog/compose-import/quote-word.js'
import {readJsonText, type JsonText} from '../catalog/json-text.js'
import {toPointer, type JsonPath} from '../catalog/json-tree.js'
import {unreadText} from '../catalog/lint/unread-text.js'
import {readDefinition} from '../catalog/read-definition.js'
import {Fault} from '../contract/faults.js'
import {readAllBytes} from './validate/read-stdin.js'

export interface DefinitionFile {
  readonly definition: AppDefinition
  /** JSON pointers to keys that this release does not know. */
  readonly unknownKeys: readonly string[]
}

/** Whether an argument means a file, and not the id of an app. */
export function isDefinitionPath(argument: string): boolean {
  return argument === '-' || argument.endsWith('.json') || /[/\\]/.test(argument)
}

/** Reads a definition from a file, or from stdin for `-`. What the gate refuses is told with its places. */
export async function readDefinitionFile(file: string, stdin: Readable, signal: AbortSignal): Promise<DefinitionFile> {
  const bytes = file === '-' ? await readAllBytes(stdin, signal) : await readBytes(file, signal)
  const name = file === '-' ? 'stdin' : file
  if (!isUtf8(bytes)) throw refuse(name, unreadText(name, 'json-encoding').findings.map((finding) => ({...finding, path: []})))
  const json = readJsonText(bytes.toString('utf8'))
  if (!isWhole(json)) {
    throw refuse(name, json.problems.map(({rule, path, message, offset}) => ({rule, path, message, ...json.places.positionOf(offset)})))
  }
  const {definition, issues, unknownKeys} = readDefinition(json.value)
  if (definition === null) throw refuse(name, issues.map((issue) => ({...issue, ...placeOf(json, issue.path)})))
  return {definition, unknownKeys: unknownKeys.map(({path}) => toPointer(path))}
}

/** Whether there is a value that any parser of JSON would have read, too; such things as a byte order mark are for the linter to tell. */
export function isWhole({value, problems}: Pick<JsonText, 'value' | 'problems'>): boolean {
  return value !== undefined && problems.every(({rule}) => harmless.has(rule))
}

const harmless: ReadonlySet<string> = new Set(['json-duplicate-key', 'json-bom'])

const reasons: Readonly<Record<string, string>> = {ENOENT: 'it is not there', EISDIR: 'it is a folder', EACCES: 'not allowed'}

async function readBytes(file: string, signal: AbortSignal): Promise<Buffer> {
  try {
    const handle = await open(file)
    return await readAllBytes(handle.createReadStream(), signal)
  } catch (error) {
    if (signal.aborted) throw error
    const reason = reasons[error instanceof Error && 'code' in error ? String(error.code) : '']
    throw new Fault('USAGE', `can not read ${file}${reason === undefined ? '' : `: ${reason}`}`, {details: {file}, cause: error})
  }
}

function placeOf(json: JsonText, path: JsonPath): {readonly line: number; readonly column: number} {
  return json.places.positionOf(json.places.locate(path).offset)
}

interface Problem {
  readonly rule: string
  readonly path: JsonPath
  readonly message: string
  readonly line: number
  readonly column: number
  readonly suggestion?: string
}

function refuse(file: string, problems: readonly Problem[]): Fault {
  const sorted = problems.toSorted((a, b) => a.line - b.line || a.column - b.column)
  const [first] = sorted
  const said = ({path, message}: Problem): string => (path.length === 0 ? message : `${toPointer(path)} ${message}`)
  return new Fault('DEFINITION_INVALID', first === undefined ? `${file} holds no definition` : `${file}:${first.line}:${first.column}: ${said(first)}`, {
    details: {file, findings: sorted.map(({path, ...rest}) => ({file, path: toPointer(path), severity: 'error', ...rest}))},
    suggestions: file === 'stdin' ? [] : [`apps validate ${quoteWord(file)}`],
    errors: sorted.map(({path, message, line}) => ({path: toPointer(path), message: `${message} (line ${line})`})),
  })
}

/** What an instance answered, as this release reads it. Of an app that its release can not run there is no more than a card. */
export function toDefinition(id: string, value: AppDefinition & {readonly requiresUpdate?: {readonly minVersion?: string | undefined} | undefined}): AppDefinition {
  if (value.requiresUpdate !== undefined) {
    const {minVersion} = value.requiresUpdate
    throw new Fault('APP_REQUIRES_UPDATE', `${id} needs ${minVersion === undefined ? 'a newer release' : `release ${minVersion} or newer`} of the instance`, {
      details: {app: id, minVersion: minVersion ?? null}, suggestions: [`apps show ${id}`],
    })
  }
  const {definition, issues} = readDefinition(value)
  if (definition === null) throw refuse(id, issues.map((issue) => ({...issue, line: 1, column: 1})))
  return definition
}
