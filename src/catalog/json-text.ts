import {parseTree, printParseErrorCode, type Node, type ParseError} from 'jsonc-parser'
import {lineStarts, locate, locateInside, positionIn, toValue, type JsonPath, type Span, type TextPosition} from './json-tree.js'

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
  /** Whether the value is all that the text says. */
  readonly isWhole: boolean
  /** The value at a path, or its key; the nearest enclosing thing that is there where the path leads nowhere. */
  locate(path: JsonPath, part?: 'key' | 'value'): Span
  /** A part of the text value at a path; the part is counted in the value, the answer in the file. */
  locateInside(path: JsonPath, part: Span): Span
  positionOf(offset: number): TextPosition
}

export const definitionLimits = {bytes: 1_000_000, depth: 100} as const

/** Reads a text as strict JSON (RFC 8259), telling every departure from it. Never throws, whatever the text. */
export function readJsonText(given: string): JsonText {
  const hasMark = given.startsWith('\uFEFF')
  // Kept as a space, so that every position stays that of the file.
  const text = hasMark ? ` ${given.slice(1)}` : given
  const problems: JsonProblem[] = []
  if (hasMark) problems.push({rule: 'json-bom', path: [], offset: 0, length: 1, message: 'the file starts with a byte order mark, which many programs refuse; save it without'})
  const refusal = refuseWhole(text)
  if (refusal !== undefined) return finish(given, [...problems, refusal], undefined)
  const errors: ParseError[] = []
  const root = parseTree(text, errors, {disallowComments: true, allowTrailingComma: true, allowEmptyContent: false})
  problems.push(...errors.slice(0, mostErrors).map((error) => toProblem(error, text)))
  if (root === undefined) return finish(given, problems, undefined)
  findCommas(text, problems, errors.length > 0)
  findDuplicates(root, [], problems)
  return finish(given, problems.toSorted(byOffset), root)
}

// After the first mistakes the rest is mostly what follows from them.
const mostErrors = 10

function refuseWhole(text: string): JsonProblem | undefined {
  if (text.trim() === '') return {rule: 'json-syntax', path: [], offset: 0, length: 0, message: 'the file is empty; a definition is one JSON object'}
  if (Buffer.byteLength(text) > definitionLimits.bytes) return sizeProblem()
  const offset = findDepth(text, definitionLimits.depth)
  if (offset === undefined) return undefined
  return {rule: 'json-depth', path: [], offset, length: 1, message: `the nesting is deeper than ${definitionLimits.depth} levels`}
}

/** Of a file that is too large to be a definition; enough to know without reading it. */
export function sizeProblem(): JsonProblem {
  return {rule: 'json-size', path: [], offset: 0, length: 0, message: `the file is larger than ${definitionLimits.bytes.toLocaleString('en')} bytes`}
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
  InvalidCommentToken: 'JSON has no comments; delete it, or say it in a description or help text',
  UnexpectedEndOfComment: 'a comment does not end; JSON has no comments',
  UnexpectedEndOfString: 'a text does not end on its line; it needs a closing quote, and \\n for a line break',
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
  const tokens = /"(?:[^"\\\n]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\/|[^\s"/,]+|[,/"]/g
  let comma: number | undefined
  for (const {0: token, index} of text.matchAll(tokens)) {
    if (token.startsWith('//') || token.startsWith('/*')) continue
    if (comma !== undefined && /^[\]}]/.test(token)) {
      problems.push({rule: 'json-trailing-comma', path: [], offset: comma, length: 1, message: 'JSON allows no comma before a closing bracket; delete it'})
    }
    comma = token === ',' ? index : undefined
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

// One path for the whole walk, copied only where there is something to tell.
function findDuplicates(node: Node, path: (string | number)[], problems: JsonProblem[]): void {
  if (node.type === 'array') {
    for (const [index, child] of (node.children ?? []).entries()) {
      path.push(index)
      findDuplicates(child, path, problems)
      path.pop()
    }
    return
  }
  if (node.type !== 'object') return
  const seen = new Set<string>()
  for (const property of node.children ?? []) {
    const [key, value] = property.children ?? []
    if (key === undefined) continue
    const name = String(key.value)
    path.push(name)
    if (seen.has(name)) {
      problems.push({rule: 'json-duplicate-key', path: [...path], offset: key.offset, length: key.length, message: `the key ${name} is there twice; only the last one counts`})
    }
    seen.add(name)
    if (value !== undefined) findDuplicates(value, path, problems)
    path.pop()
  }
}

function finish(text: string, problems: readonly JsonProblem[], root: Node | undefined): JsonText {
  let starts: readonly number[] | undefined
  return {
    text,
    problems,
    value: root === undefined ? undefined : toValue(root),
    isWhole: root !== undefined && !problems.some(({rule}) => rule === 'json-syntax'),
    locate: (path, part = 'value') => locate(root, path, part),
    locateInside: (path, part) => locateInside(text, locate(root, path, 'value'), part),
    positionOf(offset) {
      starts ??= lineStarts(text)
      return positionIn(starts, offset)
    },
  }
}

function byOffset(a: Span, b: Span): number {
  return a.offset - b.offset
}
