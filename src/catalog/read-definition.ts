import {crossCheck} from './cross-checks.js'
import type {DefinitionIssue} from './definition-issue.js'
import {viewRest, wholeView, type DefinitionView} from './definition-view.js'
import {AppDefinition} from './definition.js'
import {newestSchemaVersion} from './engine-version.js'
import {flattenIssues, isBound, toDefinitionIssue} from './shape-issues.js'
import {definitionLimits} from './json-limits.js'
import {findUnknownKeys, type UnknownKey} from './unknown-keys.js'
import {isDeeperThan} from './value-depth.js'

export interface ReadDefinition {
  /** What this release understands of it; null where it is refused. */
  readonly definition: AppDefinition | null
  /** Why it is refused, in the order in which it is told. */
  readonly issues: readonly DefinitionIssue[]
  /** What would be told next: parts of the wrong type keep the gate from comparing the rest. */
  readonly furtherIssues: readonly DefinitionIssue[]
  /** The definition without its broken parts, for whoever wants to say more about the rest; null where too little is left. */
  readonly view: DefinitionView | null
  readonly unknownKeys: readonly UnknownKey[]
}

/** The gate of every definition: offline, in the daemon and in the linter alike. Takes any value and never throws. */
export function readDefinition(value: unknown): ReadDefinition {
  if (isDeeperThan(value, definitionLimits.depth)) {
    const message = `the nesting is deeper than ${definitionLimits.depth} levels`
    return {definition: null, issues: [{rule: 'out-of-bounds', path: [], message}], furtherIssues: [], view: null, unknownKeys: []}
  }
  const unknownKeys = findUnknownKeys(AppDefinition, value)
  const tooNew = checkSchemaVersion(value)
  const result = AppDefinition.safeParse(value)
  if (result.success) {
    const view = wholeView(result.data)
    const issues = [...tooNew, ...crossCheck(view)]
    return {definition: issues.length === 0 ? result.data : null, issues, furtherIssues: [], view, unknownKeys}
  }
  const flat = flattenIssues(result.error.issues)
  const shape = flat.slice(0, mostIssues).map((issue) => toDefinitionIssue(issue, value))
  const view = viewRest(value, flat)
  const cross = view === null ? [] : crossCheck(view)
  return flat.every(isBound)
    ? {definition: null, issues: [...tooNew, ...shape, ...cross], furtherIssues: [], view, unknownKeys}
    : {definition: null, issues: [...tooNew, ...shape], furtherIssues: cross, view, unknownKeys}
}

// Nobody reads on after so many mistakes.
const mostIssues = 2000

function checkSchemaVersion(value: unknown): DefinitionIssue[] {
  const version: unknown = typeof value === 'object' && value !== null && 'schemaVersion' in value ? value.schemaVersion : undefined
  if (typeof version !== 'number' || version <= newestSchemaVersion) return []
  const message = `schemaVersion ${version} is newer than this release reads (${newestSchemaVersion}); update Moorage`
  return [{rule: 'schema-too-new', path: ['schemaVersion'], message}]
}
