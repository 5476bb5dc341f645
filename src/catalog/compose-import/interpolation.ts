/** A reference to a variable in a text of a Compose file, such as `${TAG:-latest}`. */
export interface Reference {
  readonly name: string
  readonly operator: '' | ':-' | '-' | ':?' | '?' | ':+' | '+'
  /** What follows the operator: a default, a message or an alternative. */
  readonly argument: readonly Part[]
}

export type Part = string | Reference

/** Reads the references of a text; `$$` is one dollar sign, and a dollar sign that starts nothing stays as it is. */
export function parseInterpolation(text: string): readonly Part[] {
  const parts: Part[] = []
  let literal = ''
  let at = 0
  while (at < text.length) {
    const found = text[at] === '$' ? readDollar(text, at) : undefined
    if (found === undefined) literal += text[at]
    else if (typeof found.part === 'string') literal += found.part
    else {
      if (literal !== '') parts.push(literal)
      literal = ''
      parts.push(found.part)
    }
    at = found?.end ?? at + 1
  }
  return literal === '' ? parts : [...parts, literal]
}

interface Found {
  readonly part: Part
  readonly end: number
}

function readDollar(text: string, at: number): Found | undefined {
  if (text[at + 1] === '$') return {part: '$', end: at + 2}
  const bare = /^[A-Za-z_][A-Za-z0-9_]*/.exec(text.slice(at + 1, at + 257))
  if (bare !== null) return {part: {name: bare[0], operator: '', argument: []}, end: at + 1 + bare[0].length}
  if (text[at + 1] !== '{') return undefined
  const end = findClose(text, at + 2)
  const inner = end === undefined ? null : /^([A-Za-z_][A-Za-z0-9_]*)(?:(:?[-?+])([\s\S]*))?$/.exec(text.slice(at + 2, end))
  if (end === undefined || inner?.[1] === undefined) return undefined
  return {part: {name: inner[1], operator: (inner[2] ?? '') as Reference['operator'], argument: parseInterpolation(inner[3] ?? '')}, end: end + 1}
}

function findClose(text: string, from: number): number | undefined {
  let depth = 1
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === '$' && text[at + 1] === '{') depth += 1
    else if (text[at] === '}') {
      depth -= 1
      if (depth === 0) return at
    }
    if (depth > deepest) return undefined
  }
  return undefined
}

// Deeper nesting is no default that anybody wrote.
const deepest = 20

export interface Resolved {
  readonly text: string
  /** Variables that have neither a value nor a default. */
  readonly missing: readonly string[]
}

/** The text with its references replaced by their values and defaults; a missing one is empty. */
export function resolveParts(parts: readonly Part[], variables: ReadonlyMap<string, string>): Resolved {
  const all = parts.map((part) => (typeof part === 'string' ? {text: part, missing: []} : resolveReference(part, variables)))
  return {text: all.map(({text}) => text).join(''), missing: all.flatMap(({missing}) => missing)}
}

export function resolveReference({name, operator, argument}: Reference, variables: ReadonlyMap<string, string>): Resolved {
  const value = variables.get(name)
  const isThere = value !== undefined && (value !== '' || !operator.startsWith(':'))
  if (operator.endsWith('+')) return isThere ? resolveParts(argument, variables) : {text: '', missing: []}
  if (isThere) return {text: value, missing: []}
  return operator.endsWith('-') ? resolveParts(argument, variables) : {text: '', missing: [name]}
}

/** Every variable that a text names, those in defaults too. */
export function namesIn(parts: readonly Part[]): string[] {
  return parts.flatMap((part) => (typeof part === 'string' ? [] : [part.name, ...namesIn(part.argument)]))
}
