import {parseInterpolation as parseParts, resolveParts as fillParts, type Part, type Reference} from '../../compose/interpolation.js'

/** Reads the references of a text. What begins like one and is none stays as it is: an import tells of what it understands. */
export function parseInterpolation(text: string): readonly Part[] {
  return parseParts(text, {keepBad: true})
}

export interface Resolved {
  readonly text: string
  /** Variables that have neither a value nor a default. */
  readonly missing: readonly string[]
}

/** The text with its references replaced by their values and defaults; a missing one is empty. */
export function resolveParts(parts: readonly Part[], variables: ReadonlyMap<string, string>): Resolved {
  const missing: string[] = []
  const text = fillParts(parts, (name) => variables.get(name), {
    used: (name, {given, hasDefault, isRequired}) => given || hasDefault || isRequired || missing.push(name),
    required: (name) => missing.push(name),
  })
  return {text, missing}
}

export function resolveReference(reference: Reference, variables: ReadonlyMap<string, string>): Resolved {
  return resolveParts([reference], variables)
}

/** Every variable that a text names, those in defaults too. */
export function namesIn(parts: readonly Part[]): string[] {
  return parts.flatMap((part) => (typeof part === 'string' ? [] : [part.name, ...namesIn(part.argument)]))
}
