import {Fault} from '../../src/contract/faults.js'
import type {Document, IndexDefinition, KeyPart} from './collection.js'

/** Reads one top-level field as something that can be compared; missing counts as null. */
export function fieldOf(document: Document, field: string): KeyPart {
  const value: unknown = Reflect.get(document, field)
  if (value === undefined || value === null) return null
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value
  throw new Fault('INTERNAL', `the field ${field} of ${document.id} is indexed and must be text, number, boolean or null`)
}

/** One value for a whole key: the part itself where there is one, else a text in which parts can not run together. */
export function joinKey(parts: readonly KeyPart[]): KeyPart {
  if (parts.length === 1) return parts[0] ?? null
  let joined = ''
  for (const part of parts) {
    if (typeof part === 'string') joined += `${part.length}:${part}`
    else joined += `${String(part)};`
  }
  return joined
}

/** The key of a document in an index; undefined where a sparse index leaves it out. */
export function keyOf(definition: IndexDefinition, document: Document): KeyPart | undefined {
  const {fields, sparse} = definition
  if (fields.length === 1) {
    const part = fieldOf(document, fields[0] ?? '')
    return sparse === true && part === null ? undefined : part
  }
  const parts: KeyPart[] = []
  for (const field of fields) {
    const part = fieldOf(document, field)
    if (sparse === true && part === null) return undefined
    parts.push(part)
  }
  return joinKey(parts)
}

export function orderOf(definition: IndexDefinition, document: Document): KeyPart {
  return fieldOf(document, definition.orderBy ?? 'createdAt')
}

const rank = (part: KeyPart): number => (part === null ? 0 : typeof part === 'boolean' ? 1 : typeof part === 'number' ? 2 : 3)

/** null before booleans before numbers before texts; texts by UTF-16 units. */
export function compareParts(left: KeyPart, right: KeyPart): number {
  if (left === right) return 0
  if (left !== null && right !== null && typeof left === typeof right) return left < right ? -1 : 1
  return rank(left) - rank(right)
}

/** The place of a document among those of its key. */
export interface Place {
  readonly order: KeyPart
  readonly id: string
}

export function comparePlaces(left: Place, right: Place): number {
  return compareParts(left.order, right.order) || compareParts(left.id, right.id)
}
