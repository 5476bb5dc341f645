/** A reference to a variable in a text, such as `${TAG:-latest}`. */
export interface Reference {
  readonly name: string
  readonly operator: '' | ':-' | '-' | ':?' | '?' | ':+' | '+'
  /** What follows the operator: a default, a message or an alternative. */
  readonly argument: readonly Part[]
}

export type Part = string | Reference

/** A `${` that does not begin a reference. */
export class BadReference extends Error {
  constructor(readonly reference: string) {
    super(`${reference} is no reference to a variable; write \${NAME}, \${NAME:-default} or $$ for a dollar sign`)
  }
}

const deepest = 20

/** Reads the references of a text. `$$` is one dollar sign, one that begins no name stays as it is. Throws BadReference, unless that shall stay as it is too. */
export function parseInterpolation(text: string, {keepBad = false}: {readonly keepBad?: boolean} = {}): readonly Part[] {
  return parseParts(text, {depth: 0, keepBad})
}

interface Reading {
  readonly depth: number
  readonly keepBad: boolean
}

function parseParts(text: string, reading: Reading): readonly Part[] {
  const parts: Part[] = []
  let literal = ''
  let at = 0
  while (at < text.length) {
    const dollar = text.indexOf('$', at)
    literal += text.slice(at, dollar === -1 ? text.length : dollar)
    if (dollar === -1) break
    const found = readDollar(text, dollar, reading)
    if (typeof found.part === 'string') literal += found.part
    else {
      if (literal !== '') parts.push(literal)
      literal = ''
      parts.push(found.part)
    }
    at = found.end
  }
  return literal === '' ? parts : [...parts, literal]
}

interface Found {
  readonly part: Part
  readonly end: number
}

function readDollar(text: string, at: number, reading: Reading): Found {
  const next = text[at + 1]
  if (next === '$') return {part: '$', end: at + 2}
  if (next === '{') return readBraces(text, at, reading)
  const name = /[A-Za-z_][A-Za-z0-9_]*/y
  name.lastIndex = at + 1
  const [bare] = name.exec(text) ?? []
  return bare === undefined ? {part: '$', end: at + 1} : {part: {name: bare, operator: '', argument: []}, end: at + 1 + bare.length}
}

function readBraces(text: string, at: number, {depth, keepBad}: Reading): Found {
  const end = depth < deepest ? findClose(text, at + 2) : undefined
  const [, name, operator = '', argument = ''] = (end === undefined ? null : /^([A-Za-z_][A-Za-z0-9_]*)(?:(:?[-?+])([\s\S]*))?$/.exec(text.slice(at + 2, end))) ?? []
  if (end === undefined || name === undefined) {
    if (keepBad) return {part: '$', end: at + 1}
    throw new BadReference(text.slice(at, end === undefined ? at + 30 : end + 1))
  }
  return {part: {name, operator: operator as Reference['operator'], argument: parseParts(argument, {depth: depth + 1, keepBad})}, end: end + 1}
}

function findClose(text: string, from: number): number | undefined {
  let open = 1
  for (let at = from; at < text.length && open <= deepest + 1; at += 1) {
    if (text[at] === '$' && text[at + 1] === '{') open += 1
    else if (text[at] === '}') {
      open -= 1
      if (open === 0) return at
    }
  }
  return undefined
}

/** Hears of every variable that a text asks for on the way to its value. */
export interface UseListener {
  used(name: string, use: {readonly given: boolean; readonly hasDefault: boolean; readonly isRequired: boolean}): void
  /** A reference such as `${NAME:?why}` without a value. */
  required(name: string, message: string): void
}

export type Lookup = (name: string) => string | undefined

/** The text with its references replaced. What has neither value nor default becomes empty. */
export function resolveParts(parts: readonly Part[], lookup: Lookup, listener: UseListener): string {
  return parts.map((part) => (typeof part === 'string' ? part : resolveReference(part, lookup, listener))).join('')
}

function resolveReference({name, operator, argument}: Reference, lookup: Lookup, listener: UseListener): string {
  const value = lookup(name)
  const counts = value !== undefined && (value !== '' || !operator.startsWith(':'))
  const kind = operator.at(-1)
  listener.used(name, {given: value !== undefined, hasDefault: kind === '-' || kind === '+', isRequired: kind === '?'})
  if (kind === '+') return counts ? resolveParts(argument, lookup, listener) : ''
  if (counts) return value
  if (kind === '-') return resolveParts(argument, lookup, listener)
  if (kind === '?') listener.required(name, resolveParts(argument, lookup, listener))
  return ''
}
