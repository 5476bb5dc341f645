import type {AppDefinition} from '../definition.js'
import type {JsonPath} from '../json-tree.js'
import {splitPlaceholders, type TextPart} from '../placeholders.js'

/** What a text is for, which decides what is resolved in it. */
export type TextPlace = 'environment' | 'file' | 'build' | 'template' | 'elsewhere'

export interface PlacedPart {
  readonly part: TextPart
  readonly place: TextPlace
  readonly path: JsonPath
}

const templateStart = 'template:'

/** Every placeholder, and what looks like one, of a definition. */
export function findParts(definition: AppDefinition): PlacedPart[] {
  const found: PlacedPart[] = []
  visit(definition, [], (text, path) => {
    if (!text.includes('{{')) return
    const place = placeOf(path, text)
    for (const part of splitPlaceholders(text)) if (part.kind !== 'text') found.push({part, place, path})
  })
  return found
}

function visit(value: unknown, path: (string | number)[], onText: (text: string, path: JsonPath) => void): void {
  if (typeof value === 'string') return onText(value, [...path])
  if (typeof value !== 'object' || value === null) return
  for (const [key, child] of Object.entries(value)) {
    path.push(Array.isArray(value) ? Number(key) : key)
    visit(child, path, onText)
    path.pop()
  }
}

function placeOf(path: JsonPath, text: string): TextPlace {
  const [top, , second, third] = path
  if (top === 'services' && second === 'environment') return 'environment'
  if (top === 'services' && second === 'build' && (third === 'dockerfile' || path.at(-1) === 'content')) return 'build'
  if (path.at(-1) === 'content' && (top === 'files' || (top === 'services' && second === 'files'))) return 'file'
  return top === 'connection' && path.at(-1) === 'source' && text.startsWith(templateStart) ? 'template' : 'elsewhere'
}
