import {findDepth, scanText} from './json-limits.js'
import {readLoosely, type LooseJson} from './json-loose.js'
import {findPlace} from './json-places.js'
import type {JsonProblem} from './json-problem.js'
import {lineStarts, locate, locateInside, positionIn, toValue, type JsonPath, type Span, type TextPosition} from './json-tree.js'

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
  const {refusal, members} = scanText(text)
  if (refusal !== undefined) return refuse(given, [...problems, refusal])
  const strict = readStrict(text)
  // What reads as it is and loses no key has nothing more to tell.
  if (strict !== undefined && countKeys(strict.value) === members) {
    return finish(given, {problems, value: strict.value, find: findIn(text)})
  }
  const tooDeep = findDepth(text)
  if (tooDeep !== undefined) return refuse(given, [...problems, tooDeep])
  const loose = readLoosely(text)
  const value = loose.root === undefined ? undefined : toValue(loose.root)
  return finish(given, {problems: [...problems, ...loose.problems], value, find: (path, part) => locate(loose.root, path, part)})
}

function refuse(given: string, problems: readonly JsonProblem[]): JsonText {
  return finish(given, {problems, value: undefined, find: () => ({offset: 0, length: 0})})
}

// Few places are found sooner in the text, many in a tree of it.
const placesBeforeTree = 20

function findIn(text: string): Parsed['find'] {
  let asked = 0
  let tree: LooseJson | undefined
  return (path, part) => {
    asked += 1
    if (asked <= placesBeforeTree) return findPlace(text, path, part)
    tree ??= readLoosely(text)
    return locate(tree.root, path, part)
  }
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
