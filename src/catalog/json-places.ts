import type {JsonPath, Span} from './json-tree.js'

// Finds places in a text that is known to be JSON. Reading a whole tree for one place takes many times as long.

/** The value at a path, or its key; the nearest enclosing thing that is there where the path leads nowhere. */
export function findPlace(text: string, path: JsonPath, part: 'key' | 'value'): Span {
  let at = skipSpace(text, 0)
  let found: Span = {offset: at, length: 1}
  for (const [index, step] of path.entries()) {
    const member = typeof step === 'number' ? findItem(text, at, step) : findMember(text, at, step)
    if (member === undefined) return found
    const isLast = index === path.length - 1
    at = member.value
    if (isLast) return part === 'key' && member.key !== undefined ? member.key : {offset: at, length: endOfValue(text, at) - at}
    // Of what is only on the way, the opening is enough.
    found = member.key ?? {offset: at, length: isOpening(text, at) ? 1 : endOfValue(text, at) - at}
  }
  return found
}

interface Member {
  readonly key: Span | undefined
  /** Where the value starts. */
  readonly value: number
}

function findItem(text: string, start: number, wanted: number): Member | undefined {
  if (text[start] !== '[') return undefined
  let at = skipSpace(text, start + 1)
  for (let index = 0; text[at] !== ']'; index += 1) {
    if (index === wanted) return {key: undefined, value: at}
    at = skipSpace(text, endOfValue(text, at))
    if (text[at] === ',') at = skipSpace(text, at + 1)
  }
  return undefined
}

function findMember(text: string, start: number, wanted: string): Member | undefined {
  if (text[start] !== '{') return undefined
  let found: Member | undefined
  for (let at = skipSpace(text, start + 1); text[at] === '"'; ) {
    const end = endOfString(text, at)
    const value = skipSpace(text, skipSpace(text, end) + 1)
    // The last one counts.
    if (isText(text, at, end, wanted)) found = {key: {offset: at, length: end - at}, value}
    at = skipSpace(text, endOfValue(text, value))
    if (text[at] === ',') at = skipSpace(text, at + 1)
  }
  return found
}

function isText(text: string, start: number, end: number, wanted: string): boolean {
  const raw = text.slice(start + 1, end - 1)
  return raw === wanted || (raw.includes('\\') && JSON.parse(`"${raw}"`) === wanted)
}

function isOpening(text: string, at: number): boolean {
  return text[at] === '{' || text[at] === '['
}

function endOfValue(text: string, start: number): number {
  if (text[start] === '"') return endOfString(text, start)
  if (!isOpening(text, start)) return endOfWord(text, start)
  let depth = 0
  for (let at = start; at < text.length; at += 1) {
    const letter = text[at]
    if (letter === '"') at = endOfString(text, at) - 1
    else if (letter === '{' || letter === '[') depth += 1
    else if (letter === '}' || letter === ']') {
      depth -= 1
      if (depth === 0) return at + 1
    }
  }
  return text.length
}

function endOfWord(text: string, start: number): number {
  const word = /[^\s,\]}]*/y
  word.lastIndex = start
  return start + (word.exec(text)?.[0].length ?? 0)
}

function endOfString(text: string, start: number): number {
  let end = start
  do end = text.indexOf('"', end + 1)
  while (end !== -1 && isEscaped(text, end))
  return end === -1 ? text.length : end + 1
}

function isEscaped(text: string, at: number): boolean {
  let slashes = 0
  while (text[at - 1 - slashes] === '\\') slashes += 1
  return slashes % 2 === 1
}

function skipSpace(text: string, start: number): number {
  let at = start
  while (text[at] === ' ' || text[at] === '\n' || text[at] === '\r' || text[at] === '\t') at += 1
  return at
}
