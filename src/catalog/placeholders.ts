/** The words that open a placeholder of ours. */
export const placeholderKinds = ['config', 'publicUrl', 'env', 'host'] as const
export type PlaceholderKind = (typeof placeholderKinds)[number]

interface Part {
  /** As written, braces included. */
  readonly text: string
  /** Where it starts, in UTF-16 units. */
  readonly offset: number
}

/** A placeholder that can be resolved. */
export type Placeholder = Part &
  (
    | {readonly kind: 'config'; readonly key: string}
    | {readonly kind: 'publicUrl'; readonly service: string; readonly port: number | undefined}
    | {readonly kind: 'env'; readonly service: string; readonly key: string}
    | {readonly kind: 'host'}
  )

/** Something that starts like a placeholder of ours and is none. It stands for itself. */
export type MalformedPlaceholder = Part & {
  readonly kind: 'malformed'
  readonly meant: PlaceholderKind
  readonly reason: 'unclosed' | 'nested' | 'form'
}

/** `{{…}}` of someone else, such as an expression of a workflow tool. It stands for itself. */
export type ForeignPlaceholder = Part & {readonly kind: 'foreign'}

export type TextPart = (Part & {readonly kind: 'text'}) | Placeholder | MalformedPlaceholder | ForeignPlaceholder

const config = /\{\{\s*config:([A-Za-z0-9_]+)\s*\}\}/y
const publicUrl = /\{\{\s*publicUrl:([A-Za-z0-9_.-]+)(?::(\d+))?\s*\}\}/y
const env = /\{\{\s*env:([^:{}]+):([^{}]+?)\s*\}\}/y
const host = /\{\{host\}\}/y
const opening = /\{\{\s*(config|publicurl|env|host)\s*(?::|\}\}|$)/iy

/** Splits a text into its placeholders and what stands between them; the parts put together are the text. Never throws. */
export function splitPlaceholders(text: string): TextPart[] {
  const parts: TextPart[] = []
  let done = 0
  const push = (part: TextPart): void => {
    if (part.offset > done) parts.push({kind: 'text', text: text.slice(done, part.offset), offset: done})
    parts.push(part)
    done = part.offset + part.text.length
  }
  const pairs = pairBraces(text)
  for (const [index, {start, end}] of pairs.entries()) {
    if (start < done) continue
    const inner = pairs[index + 1]
    const isNested = end !== undefined && inner !== undefined && inner.start < end
    const part = readPlaceholder(text, start) ?? readOther(text, {start, end, isNested, next: inner?.start})
    if (part !== undefined) push(part)
  }
  if (done < text.length) parts.push({kind: 'text', text: text.slice(done), offset: done})
  return parts
}

/** The placeholders of a text that can be resolved. */
export function findPlaceholders(text: string): Placeholder[] {
  return splitPlaceholders(text).filter(isPlaceholder)
}

/** Puts a value in place of each placeholder; where there is none, the placeholder stays. Values are not read again. */
export function replacePlaceholders(text: string, valueOf: (placeholder: Placeholder) => string | undefined): string {
  if (!text.includes('{{')) return text
  return splitPlaceholders(text)
    .map((part) => (isPlaceholder(part) ? (valueOf(part) ?? part.text) : part.text))
    .join('')
}

export function isPlaceholder(part: TextPart): part is Placeholder {
  return part.kind === 'config' || part.kind === 'publicUrl' || part.kind === 'env' || part.kind === 'host'
}

interface BracePair {
  readonly start: number
  /** After the closing braces; undefined where there are none. */
  end: number | undefined
}

// In a longer run of braces the innermost two belong together, so that {{{host}}} is {{host}} in braces.
function pairBraces(text: string): BracePair[] {
  const pairs: BracePair[] = []
  const open: BracePair[] = []
  for (const {0: run, index} of text.matchAll(/\{{2,}|\}{2,}/g)) {
    for (let at = run.length % 2; run.startsWith('{') && at < run.length; at += 2) {
      const pair: BracePair = {start: index + at, end: undefined}
      pairs.push(pair)
      open.push(pair)
    }
    for (let at = 0; run.startsWith('}') && at + 2 <= run.length; at += 2) {
      const pair = open.pop()
      if (pair !== undefined) pair.end = index + at + 2
    }
  }
  return pairs
}

function readPlaceholder(text: string, offset: number): Placeholder | undefined {
  const match = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = offset
    return pattern.exec(text)
  }
  const [whole = '', key = ''] = match(config) ?? []
  if (whole !== '') return {kind: 'config', key, text: whole, offset}
  const [url = '', service = '', port] = match(publicUrl) ?? []
  if (url !== '') return {kind: 'publicUrl', service, port: port === undefined ? undefined : Number(port), text: url, offset}
  const [variable = '', owner = '', name = ''] = match(env) ?? []
  if (variable !== '') return {kind: 'env', service: owner, key: name, text: variable, offset}
  return match(host) === null ? undefined : {kind: 'host', text: '{{host}}', offset}
}

interface Other {
  readonly start: number
  readonly end: number | undefined
  readonly isNested: boolean
  readonly next: number | undefined
}

function readOther(text: string, {start, end, isNested, next}: Other): TextPart | undefined {
  const meant = kindMeant(text, start)
  if (meant === undefined) return end === undefined || isNested ? undefined : {kind: 'foreign', text: text.slice(start, end), offset: start}
  if (end !== undefined && !isNested) return {kind: 'malformed', meant, reason: 'form', text: text.slice(start, end), offset: start}
  // What is inside is read on its own, so this one ends where the next begins, and at the latest with its line.
  const [line = ''] = text.slice(start, next).split('\n', 1)
  return {kind: 'malformed', meant, reason: isNested ? 'nested' : 'unclosed', text: line, offset: start}
}

function kindMeant(text: string, offset: number): PlaceholderKind | undefined {
  opening.lastIndex = offset
  const word = opening.exec(text)?.[1]?.toLowerCase()
  return placeholderKinds.find((kind) => kind.toLowerCase() === word)
}
