import {scalarText} from './compose-value.js'
import type {ServicesContext} from './compose-services.js'
import {parseInterpolation, resolveParts} from './interpolation.js'
import type {FolderBudget} from './project-folder.js'

/** What all parts of one import share. */
export interface ImportContext extends ServicesContext {
  /** Values of variables, from the .env file. */
  readonly variables: ReadonlyMap<string, string>
  readonly budget: FolderBudget
}

export interface NotePlace {
  readonly service: string
  readonly key: string
}

/** A scalar with its variables replaced, where a definition has no placeholders; what has no value is told. */
export function plainText(value: unknown, {service, key}: NotePlace, {variables, notes}: ImportContext): string | undefined {
  const text = scalarText(value)
  if (text === undefined) return undefined
  const resolved = resolveParts(parseInterpolation(text), variables)
  for (const name of new Set(resolved.missing)) {
    notes.add({level: 'lost', service, key, why: `the variable ${name} has no value`, todo: 'give an .env file with --env-file, or write the value'})
  }
  return resolved.text
}
