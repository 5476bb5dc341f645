import type {TextPlaces} from '../json-text.js'
import {toPointer, type JsonPath, type Span} from '../json-tree.js'
import type {Edit, Finding, Fix, Severity} from './finding.js'
import {toLine} from './quote.js'
import {findRule} from './rules.js'

/** A finding before its place in the file is known. */
export interface RawFinding {
  readonly rule: string
  readonly path: JsonPath
  readonly message: string
  readonly part?: 'key' | 'value'
  readonly inside?: Span
  readonly suggestion?: string | undefined
  readonly renameTo?: string | undefined
  /** Where the place is known already. */
  readonly offset?: number
  readonly length?: number
  readonly edits?: readonly Edit[] | undefined
}

export function toFinding(places: TextPlaces, file: string, raw: RawFinding): Finding {
  const span = spanOf(places, raw)
  const [start, end] = [places.positionOf(span.offset), places.positionOf(span.offset + span.length)]
  const fix = fixOf(places, raw)
  return {
    file, line: start.line, column: start.column, endLine: end.line, endColumn: end.column,
    path: toPointer(raw.path), rule: raw.rule, severity: severityOf(raw.rule), message: toLine(raw.message),
    ...(raw.suggestion !== undefined && {suggestion: raw.suggestion}), ...(fix !== undefined && {fix}),
  }
}

function spanOf(places: TextPlaces, {path, part, inside, offset, length = 0}: RawFinding): Span {
  if (offset !== undefined) return {offset, length}
  if (inside !== undefined) return places.locateInside(path, inside)
  const span = places.locate(path, part)
  // An object or a list is shown by the bracket that opens it.
  return places.text[span.offset] === '{' || places.text[span.offset] === '[' ? {offset: span.offset, length: 1} : span
}

function severityOf(id: string): Severity {
  return findRule(id)?.severity ?? 'error'
}

function fixOf(places: TextPlaces, {rule, path, renameTo, edits}: RawFinding): Fix | undefined {
  if (edits !== undefined) return {title: fixTitles[rule] ?? 'mend it', edits}
  if (renameTo === undefined) return undefined
  const {offset, length} = places.locate(path, 'key')
  return {title: `rename to ${renameTo}`, edits: [{offset, length, text: JSON.stringify(renameTo)}]}
}

const fixTitles: Readonly<Record<string, string>> = {
  'json-bom': 'delete the byte order mark',
  'json-trailing-comma': 'delete the comma',
  'json-duplicate-key': 'delete the first one, which says the same',
}
