import {splitWords} from '../../compose/shell-words.js'
import type {Part} from '../../compose/interpolation.js'
import type {ComposeService} from './compose-services.js'
import {listOf, scalarText} from './compose-value.js'
import type {DraftWords} from './draft-service.js'
import type {ImportContext} from './import-context.js'
import {parseInterpolation} from './interpolation.js'

/** The words of `command` or `entrypoint`. Compose splits a text into words itself, with no shell; so does this. */
export function readWords({name, fields}: ComposeService, key: 'command' | 'entrypoint', {notes}: ImportContext): DraftWords | undefined {
  const value = fields[key]
  if (value === undefined || value === null) return undefined
  if (Array.isArray(value)) return {form: 'argv', words: listOf(value).map((word) => parseInterpolation(scalarText(word) ?? ''))}
  const text = scalarText(value) ?? ''
  const words = splitKeepingReferences(text)
  if (words !== undefined) return {form: 'argv', words}
  notes.add({level: 'lost', service: name, key, why: 'a quote in it does not end', todo: 'write it as a list'})
  return undefined
}

// References are put aside while the text is split: a default may hold blanks, and so may a value.
function splitKeepingReferences(text: string): Part[][] | undefined {
  const references: Part[] = []
  const marked = parseInterpolation(text).map((part) => {
    if (typeof part === 'string') return part
    references.push(part)
    return `${mark}${references.length - 1}${mark}`
  })
  return splitWords(marked.join(''))?.map((word) =>
    word.split(mark).flatMap((piece, index) => (index % 2 === 1 ? (references[Number(piece)] ?? []) : piece === '' ? [] : [piece])),
  )
}

// No text of a YAML file holds it.
const mark = '\u0000'
