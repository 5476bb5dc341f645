import type {AppDefinition} from '../../src/catalog/definition.js'
import type {DefinitionIssue} from '../../src/catalog/definition-issue.js'
import {readDefinition} from '../../src/catalog/read-definition.js'
import {Fault, type FieldError} from '../../src/contract/faults.js'
import {toPointer} from '../http/field-errors.js'
import type {Curated} from './catalog.js'
import {describeIssue, runsHere} from './judge.js'

export interface Upload {
  readonly definition: AppDefinition
  /** The definition as it came. */
  readonly text: string
  /** Pointers to keys that are kept and not read. */
  readonly unknownKeys: readonly string[]
}

const mostTold = 1000

/** Holds an upload against the gate and the curated apps; the first thing that is wrong refuses it. */
export function checkUpload(raw: unknown, curated: Curated, engine: string): Upload {
  const {definition, issues, unknownKeys} = readDefinition(raw)
  if (definition === null) throw refuse(issues)
  const {id, kind, minEngine} = definition
  if (kind !== 'template') throw new Fault('APP_KIND_REFUSED', `only apps of kind template can be uploaded, not of kind ${kind}`)
  if (!isAddressable(id)) throw invalid([{path: '/id', message: 'must be made of letters, digits and hyphens'}], 'the id must be made of letters, digits and hyphens')
  const taken = curated.idLike(id)
  if (taken !== undefined) {
    throw new Fault('APP_ID_TAKEN', `${taken} is the id of a built-in app; rename yours`, {details: {appId: taken}, suggestions: [`apps show ${taken}`]})
  }
  if (!runsHere(definition, engine)) {
    throw new Fault('APP_REQUIRES_UPDATE', `${id} needs release ${minEngine ?? ''} or newer; this is ${engine}`, {details: {minVersion: minEngine ?? null}})
  }
  return {definition, text: JSON.stringify(raw), unknownKeys: unknownKeys.slice(0, mostTold).map(({path}) => toPointer(path))}
}

function refuse(issues: readonly DefinitionIssue[]): Fault {
  const tooNew = issues.find(({rule}) => rule === 'schema-too-new')
  if (tooNew !== undefined) return new Fault('APP_SCHEMA_TOO_NEW', tooNew.message)
  const errors = issues.slice(0, mostTold).map(({path, message}) => ({path: toPointer(path), message}))
  return invalid(errors, describeIssue(issues[0]))
}

function invalid(errors: readonly FieldError[], first: string): Fault {
  return new Fault('VALIDATION_ERROR', `Invalid app definition: ${first}.`, {errors})
}

// An id that no address can carry could never be shown or deleted again.
function isAddressable(id: string): boolean {
  return !/[/\\\p{Cc}\p{Cs}]/u.test(id) && !/^\.{1,2}$/.test(id)
}
