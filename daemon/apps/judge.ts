import {z} from 'zod'
import {categories, type AppDefinition} from '../../src/catalog/definition.js'
import {isEngineOk} from '../../src/catalog/engine-version.js'
import type {DefinitionIssue, GateRule} from '../../src/catalog/definition-issue.js'
import {readDefinition} from '../../src/catalog/read-definition.js'
import {toPointer} from '../http/field-errors.js'

/** What this release makes of a raw definition. */
export type Judged =
  | {readonly kind: 'app'; readonly definition: AppDefinition}
  /** Of a shape that only a newer release reads, but it says who it is. */
  | {readonly kind: 'too-new'; readonly card: AppDefinition; readonly minVersion: string | undefined}
  | {readonly kind: 'refused'; readonly id: string | null; readonly reason: string}

/** Puts a raw definition through the gate. Takes any value and never throws. */
export function judge(raw: unknown): Judged {
  const {definition, issues} = readDefinition(raw)
  if (definition !== null) return {kind: 'app', definition}
  const card = issues.some(({rule}) => rule === 'schema-too-new') ? readCard(raw) : undefined
  if (card !== undefined) return {kind: 'too-new', ...card}
  return {kind: 'refused', id: z.object({id: z.string().max(100)}).safeParse(raw).data?.id ?? null, reason: describeIssue(issues[0])}
}

// Their messages name what they are about.
const speakForThemselves: ReadonlySet<GateRule> = new Set([
  'schema-too-new', 'unknown-service', 'output-source', 'jwt-group', 'flow-href', 'image-or-build', 'provides-output', 'article-both', 'article-path',
])

/** One issue as a sentence, with its place where the message leaves it open. */
export function describeIssue(issue: DefinitionIssue | undefined): string {
  if (issue === undefined) return 'it can not be read'
  const {rule, path, message} = issue
  return path.length === 0 || speakForThemselves.has(rule) ? message : `${toPointer(path)}: ${message}`
}

const text = z.string()

// A newer shape may have kinds and categories that this release does not know.
const Identity = z.object({
  id: text.min(1).max(100),
  name: text,
  description: text,
  kind: z.enum(['template', 'flow']).catch('template'),
  logo: text,
  category: text,
  minEngine: text.optional().catch(undefined),
})

function readCard(raw: unknown): {card: AppDefinition; minVersion: string | undefined} | undefined {
  const identity = Identity.safeParse(raw).data
  if (identity === undefined) return undefined
  const {category, minEngine, ...rest} = identity
  return {card: {...rest, category: categories.find((known) => known === category) ?? 'other', available: false}, minVersion: minEngine}
}

/** An app as the catalog has it: readable by this release, or a card that says which release reads it. */
export interface CatalogItem {
  readonly definition: AppDefinition
  readonly requiresUpdate?: {readonly minVersion?: string}
  readonly updateAvailable?: true
}

/** What can be shown of an app that this release can not run: who it is, and what it needs. */
export function toCard(definition: AppDefinition, minVersion: string | undefined): CatalogItem {
  const {id, name, description, kind, logo, category} = definition
  return {definition: {id, name, description, kind, logo, category, available: false}, requiresUpdate: minVersion === undefined ? {} : {minVersion}}
}

export function runsHere({minEngine}: AppDefinition, engine: string): boolean {
  return isEngineOk(minEngine, engine)
}
