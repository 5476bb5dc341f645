import {createScanner} from 'jsonc-parser'
import type {JsonProblem} from './json-problem.js'

export const definitionLimits = {bytes: 1_000_000, depth: 100} as const

/** Of a file that is too large to be a definition; enough to know without reading it. */
export function sizeProblem(): JsonProblem {
  return {rule: 'json-size', path: [], offset: 0, length: 0, message: `the file is larger than ${definitionLimits.bytes.toLocaleString('en')} bytes`}
}

export interface Scanned {
  readonly refusal?: JsonProblem
  /** How many keys with a value the text has. */
  readonly members: number
}

/** Looks over a text once, before anything is read of it. Exact for JSON; of anything else a first impression. */
export function scanText(text: string): Scanned {
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
      if (depth > definitionLimits.depth) return {refusal: depthProblem(at), members}
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

/** Where a broken text is nested too deep. Where its brackets stand only the scanner of the parser knows, and the parser calls itself for every level. */
export function findDepth(text: string): JsonProblem | undefined {
  const scanner = createScanner(text, true)
  let depth = 0
  do {
    scanner.scan()
    const offset = scanner.getTokenOffset()
    const letter = scanner.getTokenLength() === 1 ? text[offset] : undefined
    if (letter === '{' || letter === '[') depth += 1
    else if (letter === '}' || letter === ']') depth = Math.max(depth - 1, 0)
    if (depth > definitionLimits.depth) return depthProblem(offset)
  } while (scanner.getTokenOffset() < text.length)
  return undefined
}

function depthProblem(offset: number): JsonProblem {
  return {rule: 'json-depth', path: [], offset, length: 1, message: `the nesting is deeper than ${definitionLimits.depth} levels`}
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
