import {BadReference, parseInterpolation, resolveParts, type Lookup} from './interpolation.js'

export interface EnvFile {
  readonly values: ReadonlyMap<string, string>
  /** Lines that are none of the format. */
  readonly faults: readonly {readonly line: number; readonly message: string}[]
}

export interface EnvFileOptions {
  /** Variables for `${…}` in values; those that the file has set before come second. Left out, nothing is replaced. */
  readonly lookup?: Lookup
  /** What `NAME` without a value takes. */
  readonly inherited?: Lookup
}

const silent = {used: () => undefined, required: () => undefined}

/**
 * Reads an env file as Compose does: comments, `export`, values without quotes up to ` #`, values in quotes over several lines. In double quotes
 * escapes count, in single quotes only \'. References are replaced except in single quotes.
 */
export function parseEnvFile(given: string, {lookup, inherited}: EnvFileOptions = {}): EnvFile {
  const text = given.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n')
  const values = new Map<string, string>()
  const faults: {line: number; message: string}[] = []
  const expand = (value: string) => resolveParts(parseInterpolation(value), (name) => lookup?.(name) ?? values.get(name), silent)
  let at = 0
  while (at < text.length) {
    const statement = readStatement(text, at)
    const fault = (message: string) => faults.push({line: text.slice(0, at).split('\n').length, message})
    if (statement.kind === 'fault') fault(statement.message)
    else if (statement.kind === 'name') {
      const value = inherited?.(statement.name)
      if (value !== undefined) values.set(statement.name, value)
    } else if (statement.kind === 'value') {
      try {
        values.set(statement.name, toValue(statement, lookup === undefined ? undefined : expand))
      } catch (error) {
        if (!(error instanceof BadReference)) throw error
        fault(error.message)
      }
    }
    at = statement.end
  }
  return {values, faults}
}

type Statement = {readonly end: number} & (
  | {readonly kind: 'nothing'}
  | {readonly kind: 'fault'; readonly message: string}
  | {readonly kind: 'name'; readonly name: string}
  | {readonly kind: 'value'; readonly name: string; readonly quote: '' | '"' | "'"; readonly raw: string}
)

const nothing = /[ \t\v\f]*(?:#[^\n]*)?(?:\n|$)/y
const start = /[ \t\v\f]*(?:export[ \t]+)?([A-Za-z_0-9.\-[\]]+)[ \t]*(?:([=:])[ \t]*|(?=#|\n|$))/y
const double = /"((?:[^"\\]|\\[\s\S])*)"[ \t]*(?:#[^\n]*)?(?:\n|$)/y
const single = /'((?:[^'\\]|\\[\s\S])*)'[ \t]*(?:#[^\n]*)?(?:\n|$)/y
const line = /([^\n]*)(?:\n|$)/y

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  const own = new RegExp(pattern)
  own.lastIndex = at
  return own.exec(text)
}

function readStatement(text: string, at: number): Statement {
  const endOfLine = at + (matchAt(line, text, at)?.[0].length ?? 1)
  const empty = matchAt(nothing, text, at)
  if (empty !== null) return {kind: 'nothing', end: at + Math.max(empty[0].length, 1)}
  const head = matchAt(start, text, at)
  const name = head?.[1]
  if (head === null || name === undefined) return {kind: 'fault', message: 'this is no NAME=value', end: endOfLine}
  if (head[2] === undefined) return {kind: 'name', name, end: endOfLine}
  const from = at + head[0].length
  const quote = text[from]
  if (quote !== '"' && quote !== "'") return {kind: 'value', name, quote: '', raw: matchAt(line, text, from)?.[1] ?? '', end: endOfLine}
  const quoted = matchAt(quote === '"' ? double : single, text, from)
  if (quoted === null) return {kind: 'fault', message: `the value of ${name} has text after its closing quote, or none of these quotes: ${quote}`, end: endOfLine}
  return {kind: 'value', name, quote, raw: quoted[1] ?? '', end: from + quoted[0].length}
}

function toValue({quote, raw}: {readonly quote: '' | '"' | "'"; readonly raw: string}, expand: ((value: string) => string) | undefined): string {
  if (quote === "'") return raw.replaceAll("\\'", "'")
  const value = quote === '"' ? unescape(raw, expand === undefined ? '$' : '$$') : raw.replace(/(?:^|[ \t])#.*$/, '').trim()
  return expand === undefined ? value : expand(value)
}

const escapes: Readonly<Record<string, string>> = {n: '\n', r: '\r', t: '\t', '\\': '\\', '"': '"'}

// An escaped dollar sign is doubled where references are replaced, so that it begins none.
function unescape(raw: string, dollar: string): string {
  return raw.replace(/\\([\s\S])/g, (whole, character: string) => (character === '$' ? dollar : (escapes[character] ?? whole)))
}
