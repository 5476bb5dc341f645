import {parseTree, printParseErrorCode, type Node, type ParseError} from 'jsonc-parser'
import {findPlace} from './json-places.js'
import {lineStarts, locate, locateInside, positionIn, toValue, type JsonPath, type Span, type TextPosition} from './json-tree.js'

export interface JsonProblem extends Span {
  readonly rule: 'json-syntax' | 'json-comment' | 'json-trailing-comma' | 'json-bom' | 'json-duplicate-key' | 'json-depth' | 'json-size'
  readonly path: JsonPath
  readonly message: string
  /** Mend it without losing anything. */
  readonly edits?: readonly {readonly offset: number; readonly length: number; readonly text: string}[]
}

/** Where things stand in a text. Holds the text and nothing of what was read from it. */
export interface TextPlaces {
  readonly text: string
  /** The value at a path, or its key; the nearest enclosing thing that is there where the path leads nowhere. */
  locate(path: JsonPath, part?: 'key' | 'value'): Span
  /** A part of the text value at a path; the part is counted in the value, the answer in the file. */
  locateInside(path: JsonPath, part: Span): Span
  positionOf(offset: number): TextPosition
}

/** A JSON text with what is wrong with it as JSON, and what it says in spite of that. */
export interface JsonText extends TextPlaces {
  readonly problems: readonly JsonProblem[]
  /** Undefined where nothing could be read. */
  readonly value: unknown
  /** Whether the value is all that the text says. */
  readonly isWhole: boolean
  /** The places alone, for whoever keeps them long. */
  readonly places: TextPlaces
}

export const definitionLimits = {bytes: 1_000_000, depth: 100} as const

/** Reads a text as strict JSON (RFC 8259), telling every departure from it. Never throws, whatever the text. */
export function readJsonText(given: string): JsonText {
  const hasMark = given.startsWith('\uFEFF')
  // Kept as a space, so that every position stays that of the file.
  const text = hasMark ? ` ${given.slice(1)}` : given
  const problems: JsonProblem[] = []
  if (hasMark) {
    const message = 'the file starts with a byte order mark, which many programs refuse; save it without'
    problems.push({rule: 'json-bom', path: [], offset: 0, length: 1, message, edits: [{offset: 0, length: 1, text: ''}]})
  }
  const {refusal, members} = scan(text)
  if (refusal !== undefined) return finish(given, {problems: [...problems, refusal], value: undefined, find: () => ({offset: 0, length: 0})})
  const strict = readStrict(text)
  // What reads as it is and loses no key has nothing more to tell.
  if (strict !== undefined && countKeys(strict.value) === members) {
    return finish(given, {problems, value: strict.value, find: findIn(text)})
  }
  return readLoosely(given, text, problems)
}

function findIn(text: string): Parsed['find'] {
  return (path, part) => findPlace(text, path, part)
}

const parseOptions = {disallowComments: true, allowTrailingComma: true, allowEmptyContent: false} as const

function readLoosely(given: string, text: string, problems: JsonProblem[]): JsonText {
  const errors: ParseError[] = []
  const root = parseTree(text, errors, parseOptions)
  problems.push(...errors.slice(0, mostErrors).map((error) => toProblem(error, text)))
  if (root !== undefined) {
    findCommas(text, problems)
    findDuplicates(root, [], (problem, first, next) => problems.push({...problem, ...editsFor(text, first, next)}))
  }
  return finish(given, {problems: problems.toSorted(byOffset), value: root === undefined ? undefined : toValue(root), find: (path, part) => locate(root, path, part)})
}

function readStrict(text: string): {readonly value: unknown} | undefined {
  try {
    return {value: JSON.parse(text) as unknown}
  } catch {
    return undefined
  }
}

function countKeys(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  if (Array.isArray(value)) return value.reduce((sum: number, item: unknown) => sum + countKeys(item), 0)
  let count = 0
  for (const key of Object.keys(value)) count += 1 + countKeys((value as Record<string, unknown>)[key])
  return count
}

// After the first mistakes the rest is mostly what follows from them.
const mostErrors = 10

/** Of a file that is too large to be a definition; enough to know without reading it. */
export function sizeProblem(): JsonProblem {
  return {rule: 'json-size', path: [], offset: 0, length: 0, message: `the file is larger than ${definitionLimits.bytes.toLocaleString('en')} bytes`}
}

interface Scanned {
  readonly refusal?: JsonProblem
  /** How many keys with a value the text has. */
  readonly members: number
}

// Before the parser, which calls itself for every level.
function scan(text: string): Scanned {
  if (text.length > definitionLimits.bytes || Buffer.byteLength(text) > definitionLimits.bytes) return {refusal: sizeProblem(), members: 0}
  let depth = 0
  let members = 0
  let isBlank = true
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === quote) {
      isBlank = false
      at = endOfString(text, at)
    } else if (code === openBrace || code === openBracket) {
      depth += 1
      isBlank = false
      if (depth > definitionLimits.depth) return {refusal: {rule: 'json-depth', path: [], offset: at, length: 1, message: `the nesting is deeper than ${definitionLimits.depth} levels`}, members}
    } else if (code === closeBrace || code === closeBracket) depth -= 1
    else if (code === colon) members += 1
    else if (code > space) isBlank = false
  }
  return isBlank ? {refusal: {rule: 'json-syntax', path: [], offset: 0, length: 0, message: 'the file is empty; a definition is one JSON object'}, members} : {members}
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === backslash) at += 1
    else if (code === quote || code === newline) return at
  }
  return text.length
}

const quote = 34
const backslash = 92
const newline = 10
const openBrace = 123
const closeBrace = 125
const openBracket = 91
const closeBracket = 93
const colon = 58
const space = 32

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
function findCommas(text: string, problems: JsonProblem[]): void {
  const tokens = /"(?:[^"\\\n]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\/|[^\s"/,]+|[,/"]/g
  let comma: number | undefined
  for (const {0: token, index} of text.matchAll(tokens)) {
    if (token.startsWith('//') || token.startsWith('/*')) continue
    if (comma !== undefined && /^[\]}]/.test(token)) {
      const message = 'JSON allows no comma before a closing bracket; delete it'
      problems.push({rule: 'json-trailing-comma', path: [], offset: comma, length: 1, message, edits: [{offset: comma, length: 1, text: ''}]})
    }
    comma = token === ',' ? index : undefined
  }
}

type OnDuplicate = (problem: JsonProblem, first: Node, next: Node | undefined) => void

// One path for the whole walk, copied only where there is something to tell.
function findDuplicates(node: Node, path: (string | number)[], onDuplicate: OnDuplicate): void {
  const children = node.children ?? []
  const seen = new Map<string, number>()
  for (const [index, child] of children.entries()) {
    const [key, value] = node.type === 'object' ? (child.children ?? []) : [undefined, child]
    const step = key === undefined ? index : String(key.value)
    path.push(step)
    const first = typeof step === 'string' ? seen.get(step) : undefined
    if (key !== undefined && first !== undefined) {
      const message = `the key ${step} is there twice; only the last one counts`
      onDuplicate({rule: 'json-duplicate-key', path: [...path], offset: key.offset, length: key.length, message}, children[first] ?? child, children[first + 1])
    }
    if (typeof step === 'string') seen.set(step, index)
    if (value !== undefined && (node.type === 'object' || node.type === 'array')) findDuplicates(value, path, onDuplicate)
    path.pop()
  }
}

// The first one may go where it says the same as the last, and nothing but white space and its comma goes with it.
function editsFor(text: string, first: Node, next: Node | undefined): Pick<JsonProblem, 'edits'> {
  const last = first.parent?.children?.findLast((sibling) => sibling.children?.[0]?.value === first.children?.[0]?.value)
  const written = (property: Node | undefined): string | undefined => {
    const value = property?.children?.[1]
    return value === undefined ? undefined : text.slice(value.offset, value.offset + value.length)
  }
  if (next === undefined || written(first) === undefined || written(first) !== written(last)) return {}
  return /^\s*,\s*$/.test(text.slice(first.offset + first.length, next.offset)) ? {edits: [{offset: first.offset, length: next.offset - first.offset, text: ''}]} : {}
}

interface Parsed {
  readonly problems: readonly JsonProblem[]
  readonly value: unknown
  readonly find: (path: JsonPath, part: 'key' | 'value') => Span
}

function finish(text: string, {problems, value, find}: Parsed): JsonText {
  const isWhole = value !== undefined && !problems.some(({rule}) => rule === 'json-syntax')
  const places = toPlaces(text, find)
  return {...places, problems, value, isWhole, places}
}

function toPlaces(text: string, find: Parsed['find']): TextPlaces {
  let starts: readonly number[] | undefined
  return {
    text,
    locate: (path, part = 'value') => find(path, part),
    locateInside: (path, part) => locateInside(text, find(path, 'value'), part),
    positionOf(offset) {
      starts ??= lineStarts(text)
      return positionIn(starts, offset)
    },
  }
}

function byOffset(a: Span, b: Span): number {
  return a.offset - b.offset
}
