import {parseTree, printParseErrorCode, type Node, type ParseError} from 'jsonc-parser'
import type {JsonProblem} from './json-problem.js'
import type {Span} from './json-tree.js'

export interface LooseJson {
  readonly root: Node | undefined
  readonly problems: readonly JsonProblem[]
}

/** Reads what is not strict JSON as far as that goes, telling every departure from it. */
export function readLoosely(text: string): LooseJson {
  const errors: ParseError[] = []
  const root = parseTree(text, errors, {disallowComments: true, allowTrailingComma: true, allowEmptyContent: false})
  const problems = firstOfLines(errors, text).slice(0, mostErrors).map((error) => toProblem(error, text))
  if (root !== undefined) {
    findCommas(text, problems)
    findDuplicates(root, [], (problem, first, next) => problems.push({...problem, ...editsFor(text, first, next)}))
  }
  return {root, problems: problems.toSorted((a: Span, b: Span) => a.offset - b.offset)}
}

// What else is told of a line follows from its first mistake; comments are told for themselves.
function firstOfLines(errors: readonly ParseError[], text: string): ParseError[] {
  let last: ParseError | undefined
  return errors.filter((error) => {
    const isComment = printParseErrorCode(error.error) === 'InvalidCommentToken'
    const isFirst = last === undefined || text.slice(last.offset, error.offset).includes('\n')
    if (!isComment && isFirst) last = error
    return isComment || isFirst
  })
}

// After the first mistakes the rest is mostly what follows from them.
const mostErrors = 10

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
