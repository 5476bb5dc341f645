import {findClosest} from '../text/edit-distance.js'
import type {JsonPath} from './json-tree.js'

/** The kind of a value as a sentence names it. */
export function describeType(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  switch (typeof value) {
    case 'string':
      return 'a text'
    case 'number':
      return 'a number'
    case 'boolean':
      return value ? 'true' : 'false'
    default:
      return 'an object'
  }
}

/** What to write where a value has the wrong type, or is none of those that are allowed; as JSON, for pasting. */
export function suggestFor(value: unknown, wanted: string | readonly string[], path: JsonPath = []): string | undefined {
  if (typeof wanted !== 'string') return typeof value === 'string' ? quoted(closestValue(value, wanted)) : undefined
  if (wanted === 'string') return suggestText(value, path)
  if (typeof value === 'string' && (wanted === 'number' || wanted === 'int')) return /^\d+(?:\.\d+)?$/.test(value.trim()) ? String(Number(value)) : undefined
  if (typeof value === 'string' && wanted === 'boolean') return /^(?:true|false)$/i.test(value) ? value.toLowerCase() : undefined
  if (wanted === 'array') return suggestList(value, path)
  return wanted === 'record' && Array.isArray(value) ? suggestMap(value) : undefined
}

function closestValue(value: string, allowed: readonly string[]): string | undefined {
  const sameLetters = allowed.find((candidate) => lettersOf(candidate) === lettersOf(value))
  return sameLetters ?? findClosest(value, allowed)
}

function lettersOf(text: string): string {
  return text.toLowerCase().replace(/[^a-z0-9]/g, '')
}

function suggestText(value: unknown, path: JsonPath): string | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return quoted(String(value))
  if (path.at(-1) === 'command' && Array.isArray(value)) return suggestArgv(value)
  if (path.at(-2) === 'ports' && isPortObject(value)) return quoted([value.published, value.target].filter((part) => part !== undefined).join(':'))
  return undefined
}

function suggestArgv(words: readonly unknown[]): string | undefined {
  const argv = shortJson(words)
  return argv === undefined ? undefined : `"commandArgv": ${argv}`
}

// The long form of Compose.
function isPortObject(value: unknown): value is {target: string | number; published?: string | number} {
  return typeof value === 'object' && value !== null && 'target' in value && ['string', 'number'].includes(typeof value.target)
}

function suggestList(value: unknown, path: JsonPath): string | undefined {
  if (typeof value === 'string') return shortJson(path.at(-1) === 'commandArgv' || path.at(-1) === 'entrypointArgv' ? value.split(/\s+/).filter((word) => word !== '') : [value])
  if (typeof value === 'number' && path.at(-1) === 'ports') return shortJson([String(value)])
  if (path.at(-1) === 'dependsOn' && typeof value === 'object' && value !== null) return shortJson(Object.keys(value))
  return undefined
}

function suggestMap(entries: readonly unknown[]): string | undefined {
  const pairs = entries.map((entry) => (typeof entry === 'string' ? /^([^=]+)=(.*)$/s.exec(entry) : null))
  if (pairs.length === 0) return '{}'
  return pairs.includes(null) ? undefined : shortJson(Object.fromEntries(pairs.map((pair) => [pair?.[1], pair?.[2]])))
}

function quoted(text: string | undefined): string | undefined {
  return text === undefined ? undefined : JSON.stringify(text)
}

function shortJson(value: unknown): string | undefined {
  const text = JSON.stringify(value)
  return text.length > 200 ? undefined : text
}
