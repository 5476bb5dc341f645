import {readFile} from 'node:fs/promises'
import type {AppDefinition} from '../catalog/definition.js'
import {definitionLimits, readJsonText, toPointer, type JsonPath, type JsonText} from '../catalog/json-text.js'
import {readDefinition} from '../catalog/read-definition.js'
import {Fault} from '../contract/faults.js'

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
export async function readDefinitionFile(file: string, stdin: AsyncIterable<unknown>): Promise<DefinitionFile> {
  const text = file === '-' ? await readStdin(stdin) : await readText(file)
  const name = file === '-' ? 'stdin' : file
  const json = readJsonText(text)
  if (json.value === undefined || json.problems.some(({rule}) => rule !== 'json-duplicate-key')) {
    throw refuse(name, json.problems.map(({rule, path, message, offset}) => ({rule, path, message, ...json.positionOf(offset)})))
  }
  const {definition, issues, unknownKeys} = readDefinition(json.value)
  if (definition === null) throw refuse(name, issues.map(({rule, path, message}) => ({rule, path, message, ...placeOf(json, path)})))
  return {definition, unknownKeys: unknownKeys.map(({path}) => toPointer(path))}
}

async function readText(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: unknown) => {
    throw new Fault('USAGE', `can not read ${file}`, {details: {file}, cause: error})
  })
}

// No more is read than is needed to refuse it.
async function readStdin(stdin: AsyncIterable<unknown>): Promise<string> {
  const pieces: Buffer[] = []
  let sizeBytes = 0
  for await (const piece of stdin) {
    const bytes = Buffer.from(piece as Uint8Array | string)
    pieces.push(bytes)
    sizeBytes += bytes.length
    if (sizeBytes > definitionLimits.bytes) break
  }
  return Buffer.concat(pieces).toString('utf8')
}

function placeOf(json: JsonText, path: JsonPath): {readonly line: number; readonly column: number} {
  return json.positionOf(json.locate(path).offset)
}

interface Problem {
  readonly rule: string
  readonly path: JsonPath
  readonly message: string
  readonly line: number
  readonly column: number
}

function refuse(file: string, problems: readonly Problem[]): Fault {
  const sorted = problems.toSorted((a, b) => a.line - b.line || a.column - b.column)
  const [first] = sorted
  const said = ({path, message}: Problem): string => (path.length === 0 ? message : `${toPointer(path)} ${message}`)
  return new Fault('DEFINITION_INVALID', first === undefined ? `${file} holds no definition` : `${file}:${first.line}:${first.column}: ${said(first)}`, {
    details: {file, findings: sorted.map(({rule, path, message, line, column}) => ({file, line, column, path: toPointer(path), rule, message}))},
    errors: sorted.map(({path, message, line}) => ({path: toPointer(path), message: `${message} (line ${line})`})),
  })
}

/** What an instance answered, as this release reads it. */
export function toDefinition(id: string, value: unknown): AppDefinition {
  const {definition, issues} = readDefinition(value)
  if (definition === null) throw refuse(id, issues.map(({rule, path, message}) => ({rule, path, message, line: 1, column: 1})))
  return definition
}
