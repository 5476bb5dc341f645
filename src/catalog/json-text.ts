import {parseTree, printParseErrorCode, type Node, type ParseError} from 'jsonc-parser'

/** Keys and indexes from the root of a document. */
export type JsonPath = readonly (string | number)[]

/** A range of a text, in UTF-16 units. */
export interface Span {
  readonly offset: number
  readonly length: number
}

export interface TextPosition {
  /** From 1. */
  readonly line: number
  /** From 1, in UTF-16 units. */
  readonly column: number
}

export interface JsonProblem extends Span {
  readonly rule: 'json-syntax' | 'json-comment' | 'json-trailing-comma' | 'json-bom' | 'json-duplicate-key' | 'json-depth' | 'json-size'
  readonly path: JsonPath
  readonly message: string
}

/** A JSON text with what is wrong with it as JSON, what it says in spite of that, and where each part stands. */
export interface JsonText {
  readonly text: string
  readonly problems: readonly JsonProblem[]
  /** Undefined where nothing could be read. */
  readonly value: unknown
  /** The value at a path, or its key; the nearest enclosing thing that is there where the path leads nowhere. */
  locate(path: JsonPath, part?: 'key' | 'value'): Span
  positionOf(offset: number): TextPosition
}

export const definitionLimits = {bytes: 1_000_000, depth: 100} as const

/** Reads a text as strict JSON (RFC 8259), telling every departure from it. Never throws, whatever the text. */
export function readJsonText(given: string): JsonText {
  const hasMark = given.startsWith('\uFEFF')
  // Kept as a space, so that every position stays that of the file.
  const text = hasMark ? ` ${given.slice(1)}` : given
  const problems: JsonProblem[] = []
  if (hasMark) problems.push({rule: 'json-bom', path: [], offset: 0, length: 1, message: 'the file starts with a byte order mark, which JSON does not allow'})
  const refusal = refuseWhole(text)
  if (refusal !== undefined) return finish(given, [...problems, refusal], undefined)
  const errors: ParseError[] = []
  const root = parseTree(text, errors, {disallowComments: true, allowTrailingComma: true, allowEmptyContent: false})
  problems.push(...errors.map((error) => toProblem(error, text)))
  if (root === undefined) return finish(given, problems, undefined)
  findCommas(text, problems, errors.length > 0)
  findDuplicates(root, [], problems)
  return finish(given, problems.toSorted(byOffset), root)
}

function refuseWhole(text: string): JsonProblem | undefined {
  if (Buffer.byteLength(text) > definitionLimits.bytes) {
    return {rule: 'json-size', path: [], offset: 0, length: 0, message: `the file is larger than ${definitionLimits.bytes.toLocaleString('en')} bytes`}
  }
  const offset = findDepth(text, definitionLimits.depth)
  if (offset === undefined) return undefined
  return {rule: 'json-depth', path: [], offset, length: 1, message: `the nesting is deeper than ${definitionLimits.depth} levels`}
}

// Before the parser, which calls itself for every level.
function findDepth(text: string, limit: number): number | undefined {
  let depth = 0
  let inString = false
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (inString) {
      if (code === backslash) at += 1
      else if (code === quote || code === newline) inString = false
    } else if (code === quote) inString = true
    else if (code === openBrace || code === openBracket) {
      depth += 1
      if (depth > limit) return at
    } else if (code === closeBrace || code === closeBracket) depth -= 1
  }
  return undefined
}

const [quote, backslash, newline, openBrace, closeBrace, openBracket, closeBracket] = [34, 92, 10, 123, 125, 91, 93]

const syntaxMessages: Readonly<Record<string, string>> = {
  InvalidSymbol: 'this is no JSON value; a text needs double quotes',
  InvalidNumberFormat: 'this is not a number as JSON writes it',
  PropertyNameExpected: 'a key in double quotes is expected here',
  ValueExpected: 'a value is expected here',
  ColonExpected: 'a colon is expected after the key',
  CommaExpected: 'a comma is missing here',
  CloseBraceExpected: 'a } is missing here',
  CloseBracketExpected: 'a ] is missing here',
  EndOfFileExpected: 'nothing may follow the end of the object',
  InvalidCommentToken: 'JSON has no comments',
  UnexpectedEndOfComment: 'a comment does not end; JSON has no comments',
  UnexpectedEndOfString: 'a text does not end on its line',
  UnexpectedEndOfNumber: 'a number does not end',
  InvalidUnicode: 'this \\u escape needs four hexadecimal digits',
  InvalidEscapeCharacter: 'JSON does not know this escape; write \\\\ for a backslash',
  InvalidCharacter: 'a control character in a text must be escaped',
}

function toProblem({error, offset, length}: ParseError, text: string): JsonProblem {
  const name = printParseErrorCode(error)
  const message = syntaxMessages[name] ?? 'this is not JSON'
  const end = Math.min(offset + length, text.length)
  return {rule: name === 'InvalidCommentToken' ? 'json-comment' : 'json-syntax', path: [], offset, length: Math.max(end - offset, 0), message}
}

// The parser is told to allow them: it would report them at the bracket that follows and in words of its own.
function findCommas(text: string, problems: JsonProblem[], hasErrors: boolean): void {
  if (!hasErrors && isStrict(text)) return
  const strings = /"(?:[^"\\\n]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\/|,(?=\s*[\]}])/g
  for (const match of text.matchAll(strings)) {
    if (match[0] !== ',') continue
    problems.push({rule: 'json-trailing-comma', path: [], offset: match.index, length: 1, message: 'JSON allows no comma before a closing bracket'})
  }
}

function isStrict(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function findDuplicates(node: Node, path: JsonPath, problems: JsonProblem[]): void {
  if (node.type === 'array') {
    for (const [index, child] of (node.children ?? []).entries()) findDuplicates(child, [...path, index], problems)
    return
  }
  if (node.type !== 'object') return
  const seen = new Set<string>()
  for (const property of node.children ?? []) {
    const [key, value] = property.children ?? []
    if (key === undefined) continue
    const name = String(key.value)
    const at = [...path, name]
    if (seen.has(name)) {
      problems.push({rule: 'json-duplicate-key', path: at, offset: key.offset, length: key.length, message: `the key ${name} is there twice; only the last one counts`})
    }
    seen.add(name)
    if (value !== undefined) findDuplicates(value, at, problems)
  }
}

function finish(text: string, problems: readonly JsonProblem[], root: Node | undefined): JsonText {
  let starts: readonly number[] | undefined
  return {
    text,
    problems,
    value: root === undefined ? undefined : toValue(root),
    locate: (path, part = 'value') => locate(root, path, part),
    positionOf(offset) {
      starts ??= lineStarts(text)
      return positionIn(starts, offset)
    },
  }
}

// Own properties only: a key such as __proto__ is a key like any other and changes no prototype.
function toValue(node: Node): unknown {
  if (node.type === 'array') return (node.children ?? []).map(toValue)
  if (node.type !== 'object') return node.value
  const result: Record<string, unknown> = {}
  for (const property of node.children ?? []) {
    const [key, value] = property.children ?? []
    if (key === undefined || value === undefined) continue
    Object.defineProperty(result, String(key.value), {value: toValue(value), writable: true, enumerable: true, configurable: true})
  }
  return result
}

function locate(root: Node | undefined, path: JsonPath, part: 'key' | 'value'): Span {
  let found: Span = root === undefined ? {offset: 0, length: 0} : {offset: root.offset, length: 1}
  let node = root
  for (const [index, step] of path.entries()) {
    const isLast = index === path.length - 1
    const [key, value] = childOf(node, step)
    if (value === undefined && key === undefined) return found
    const chosen = (isLast && part === 'key' ? key : value) ?? key ?? value
    if (chosen === undefined) return found
    // Of what is only on the way, the opening is enough.
    found = isLast ? {offset: chosen.offset, length: chosen.length} : openingOf(key ?? chosen)
    node = value
  }
  return found
}

function openingOf(node: Node): Span {
  return {offset: node.offset, length: node.type === 'object' || node.type === 'array' ? 1 : node.length}
}

function childOf(node: Node | undefined, step: string | number): readonly [Node | undefined, Node | undefined] {
  if (node?.type === 'array') {
    const child = typeof step === 'number' ? node.children?.[step] : undefined
    return [undefined, child]
  }
  const property = node?.type === 'object' ? node.children?.findLast((child) => child.children?.[0]?.value === String(step)) : undefined
  return [property?.children?.[0], property?.children?.[1]]
}

function lineStarts(text: string): readonly number[] {
  const starts = [0]
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return starts
}

function positionIn(starts: readonly number[], offset: number): TextPosition {
  let [low, high] = [0, starts.length - 1]
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((starts[middle] ?? 0) <= offset) low = middle
    else high = middle - 1
  }
  return {line: low + 1, column: offset - (starts[low] ?? 0) + 1}
}

function byOffset(a: Span, b: Span): number {
  return a.offset - b.offset
}

/** A path as a JSON pointer (RFC 6901). */
export function toPointer(path: JsonPath): string {
  return path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}
