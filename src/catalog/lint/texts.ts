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
    const place = placeOf(path, text)
    for (const part of splitPlaceholders(text)) if (part.kind !== 'text') found.push({part, place, path})
  })
  return found
}

// One path for the whole walk, copied only where there is a placeholder.
function visit(value: unknown, path: (string | number)[], onText: (text: string, path: JsonPath) => void): void {
  if (typeof value === 'string') {
    if (value.includes('{{')) onText(value, [...path])
  } else if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) visitAt(value[index], index, path, onText)
  } else if (typeof value === 'object' && value !== null) {
    for (const key of Object.keys(value)) visitAt((value as Record<string, unknown>)[key], key, path, onText)
  }
}

function visitAt(value: unknown, step: string | number, path: (string | number)[], onText: (text: string, path: JsonPath) => void): void {
  path.push(step)
  visit(value, path, onText)
  path.pop()
}

function placeOf(path: JsonPath, text: string): TextPlace {
  const [top, , second, third] = path
  if (top === 'services' && second === 'environment') return 'environment'
  if (top === 'services' && second === 'build' && (third === 'dockerfile' || path.at(-1) === 'content')) return 'build'
  if (path.at(-1) === 'content' && (top === 'files' || (top === 'services' && second === 'files'))) return 'file'
  return top === 'connection' && path.at(-1) === 'source' && text.startsWith(templateStart) ? 'template' : 'elsewhere'
}
