import type {z} from 'zod'
import {crossCheck, type DefinitionIssue} from './cross-checks.js'
import {AppDefinition} from './definition.js'
import {newestSchemaVersion} from './engine-version.js'
import {findUnknownKeys, type UnknownKey} from './unknown-keys.js'

export interface ReadDefinition {
  /** What this release understands of it; null where it is refused. */
  readonly definition: AppDefinition | null
  /** Why it is refused, in the order in which it is told. */
  readonly issues: readonly DefinitionIssue[]
  /** The definition without its broken parts, for whoever wants to say more about the rest; null where too little is left. */
  readonly view: AppDefinition | null
  /** Whether the view is all of the definition. */
  readonly isWhole: boolean
  readonly unknownKeys: readonly UnknownKey[]
}

/** The gate of every definition: offline, in the daemon and in the linter alike. Takes any value and never throws. */
export function readDefinition(value: unknown): ReadDefinition {
  const unknownKeys = findUnknownKeys(AppDefinition, value)
  const tooNew = checkSchemaVersion(value)
  const result = AppDefinition.safeParse(value)
  if (result.success) {
    const issues = [...tooNew, ...crossCheck(result.data)]
    return {definition: issues.length === 0 ? result.data : null, issues, view: result.data, isWhole: true, unknownKeys}
  }
  const shape = result.error.issues.map(toIssue)
  const view = readRest(value, result.error.issues)
  // A part of the wrong type makes other parts look wrong that are not.
  const cross = view !== null && result.error.issues.every(isConstraint) ? crossCheck(view) : []
  return {definition: null, issues: [...tooNew, ...shape, ...cross], view, isWhole: false, unknownKeys}
}

function checkSchemaVersion(value: unknown): DefinitionIssue[] {
  const version: unknown = typeof value === 'object' && value !== null && 'schemaVersion' in value ? value.schemaVersion : undefined
  if (typeof version !== 'number' || version <= newestSchemaVersion) return []
  const message = `schemaVersion ${version} is newer than this release reads (${newestSchemaVersion}); update Moorage`
  return [{rule: 'schema-too-new', path: ['schemaVersion'], message}]
}

function toIssue(issue: z.core.$ZodIssue): DefinitionIssue {
  return {rule: 'shape', path: issue.path.map((part) => (typeof part === 'number' ? part : String(part))), message: messageOf(issue)}
}

function messageOf(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type') return issue.message.endsWith('received undefined') ? 'is required' : `must be ${nameOf(issue.expected)}`
  if (issue.code === 'invalid_value') return `must be one of ${issue.values.map(String).join(', ')}`
  if (issue.code === 'invalid_union') return 'has none of the forms that are allowed here'
  return issue.message
}

function nameOf(expected: string): string {
  const names: Readonly<Record<string, string>> = {
    string: 'a text', number: 'a number', int: 'a whole number', boolean: 'true or false', array: 'a list', object: 'an object', record: 'a map of texts',
  }
  return names[expected] ?? expected
}

// The value has the right type and only breaks a bound.
function isConstraint(issue: z.core.$ZodIssue): boolean {
  return issue.code === 'too_big' || issue.code === 'too_small' || issue.code === 'invalid_format'
}

// Takes away what is broken, and what it is a needed part of, until the rest can be read.
function readRest(value: unknown, issues: readonly z.core.$ZodIssue[]): AppDefinition | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null
  const rest: object = structuredClone(value)
  let open = issues
  for (let round = 0; round < 20; round += 1) {
    for (const issue of open.toReversed()) remove(rest, issue.path)
    const result = AppDefinition.safeParse({...namelessApp, ...rest})
    if (result.success) return result.data
    open = result.error.issues
  }
  return null
}

const namelessApp: AppDefinition = {id: 'app', name: '', description: '', kind: 'template', logo: '', category: 'other'}

function remove(root: object, path: readonly PropertyKey[]): void {
  const parents = parentsOf(root, path)
  // What is not there can only be missed by what holds it, so that goes instead.
  for (let depth = Math.min(parents.length, path.length) - 1; depth >= 0; depth -= 1) {
    const parent = parents[depth]
    const step = path[depth]
    if (parent === undefined || step === undefined || !Object.hasOwn(parent, step)) continue
    if (Array.isArray(parent)) parent.splice(Number(step), 1)
    else Reflect.deleteProperty(parent, step)
    return
  }
}

function parentsOf(root: object, path: readonly PropertyKey[]): object[] {
  const parents = [root]
  for (const step of path.slice(0, -1)) {
    const next = Reflect.get(parents.at(-1) ?? root, step) as unknown
    if (typeof next !== 'object' || next === null) break
    parents.push(next)
  }
  return parents
}
