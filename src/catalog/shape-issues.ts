import type {z} from 'zod'
import type {DefinitionIssue} from './definition-issue.js'
import {AppDefinition} from './definition.js'
import type {JsonPath} from './json-tree.js'
import {describeAt} from './schema-walk.js'
import {describeType, suggestFor} from './type-advice.js'

/** An issue of the schema, with those inside unions at their own place. */
export interface FlatIssue {
  readonly issue: z.core.$ZodIssue
  readonly path: JsonPath
}

/** A union says only that no form fits; the form that the value was meant to have says where it does not. */
export function flattenIssues(issues: readonly z.core.$ZodIssue[], base: JsonPath = []): FlatIssue[] {
  return issues.flatMap((issue) => {
    const path = [...base, ...issue.path.map((part) => (typeof part === 'number' ? part : String(part)))]
    if (issue.code !== 'invalid_union') return [{issue, path}]
    const meant = issue.errors.filter((branch) => !branch.some(({code, path: at}) => at.length === 0 && (code === 'invalid_type' || code === 'invalid_value')))
    return meant[0] === undefined ? [{issue, path}] : flattenIssues(meant[0], path)
  })
}

/** The value has the right type and only breaks a bound. */
export function isBound({issue: {code}}: FlatIssue): boolean {
  return code === 'too_big' || code === 'too_small' || code === 'invalid_format'
}

/** The issue in plain words, with what to write instead. */
export function toDefinitionIssue({issue, path}: FlatIssue, root: unknown): DefinitionIssue {
  const value = valueAt(root, path)
  if (value === undefined && path.length > 0) return {rule: 'missing-key', path, message: missingMessage(issue, path)}
  if (issue.code === 'invalid_type' || issue.code === 'invalid_union') return wrongType({issue, path}, value)
  if (issue.code === 'invalid_value') {
    const allowed = issue.values.map(String)
    return {rule: 'bad-value', path, message: `${nameOf(path)} must be one of ${allowed.join(', ')}, not ${shown(value)}`, ...suggestion(suggestFor(value, allowed))}
  }
  return {rule: 'out-of-bounds', path, message: `${nameOf(path)} ${boundMessage(issue)}`}
}

// The last key, with the place in its list: what a person looks for in the file.
function nameOf(path: JsonPath): string {
  const at = path.findLastIndex((step) => typeof step === 'string')
  return `${String(path[at] ?? 'the definition')}${path.slice(at + 1).map((index) => `[${index}]`).join('')}`
}

function missingMessage(issue: z.core.$ZodIssue, path: JsonPath): string {
  const meaning = issue.code === 'invalid_value' ? `one of ${issue.values.map(String).join(', ')}` : isManagementKind(path) ? 'schema or custom' : describeAt(AppDefinition, path)
  return `the key ${String(path.at(-1))} is missing${meaning === undefined ? '' : `: ${meaning}`}`
}

function wrongType({issue, path}: FlatIssue, value: unknown): DefinitionIssue {
  if (isManagementKind(path)) return {rule: 'bad-value', path, message: `kind must be one of schema, custom, not ${shown(value)}`}
  if (path.length === 0) return {rule: 'wrong-type', path, message: `a definition is one object in braces, not ${describeType(value)}`}
  const {expected, advice, suggestion: written} = describeExpected(issue, path, value)
  return {rule: 'wrong-type', path, message: `${nameOf(path)} must be ${expected}, not ${typeof value === 'number' ? String(value) : describeType(value)}${advice === undefined ? '' : `; ${advice}`}`, ...suggestion(written)}
}

// The one union whose forms a key tells apart.
function isManagementKind(path: JsonPath): boolean {
  return path.length === 2 && path[0] === 'management' && path[1] === 'kind'
}

const typeNames: Readonly<Record<string, string>> = {
  string: 'a text', number: 'a number', int: 'a whole number', boolean: 'true or false', array: 'a list', object: 'an object', record: 'an object with a text for each key',
}

// By the last key: what the forms of its union are.
const unionNames: Readonly<Record<string, string>> = {
  test: 'a shell command or a list of texts', equals: 'a text or a list of texts', columns: '1 or 2',
}

function describeExpected(issue: z.core.$ZodIssue, path: JsonPath, value: unknown): {expected: string; advice?: string | undefined; suggestion?: string | undefined} {
  if (issue.code !== 'invalid_type') return {expected: unionNames[String(path.at(-1))] ?? 'a text, or an object with a text for each locale'}
  const written = suggestFor(value, issue.expected, path)
  return {expected: typeNames[issue.expected] ?? issue.expected, advice: written === undefined ? undefined : `write ${written}`, suggestion: written}
}

function boundMessage(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_format') return issue.format === 'url' ? 'must be an absolute address such as https://example.com/project' : `must be a ${issue.format}`
  if (issue.code === 'too_big') {
    if (issue.origin === 'array') return `takes ${String(issue.maximum)} entries at most`
    return issue.origin === 'string' ? `takes ${String(issue.maximum)} characters at most` : `must be at most ${String(issue.maximum)}`
  }
  if (issue.code === 'too_small') {
    if (issue.origin === 'string') return 'must not be empty'
    return issue.inclusive === true ? `must be at least ${String(issue.minimum)}` : `must be more than ${String(issue.minimum)}`
  }
  return issue.message
}

function suggestion(text: string | undefined): {suggestion?: string} {
  return text === undefined ? {} : {suggestion: text}
}

function shown(value: unknown): string {
  const text = typeof value === 'string' ? JSON.stringify(value) : typeof value === 'number' || typeof value === 'boolean' ? String(value) : describeType(value)
  return text.length > 60 ? `${text.slice(0, 57)}…"` : text
}

export function valueAt(root: unknown, path: JsonPath): unknown {
  let value = root
  for (const step of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined
    value = Reflect.get(value, step)
  }
  return value
}
