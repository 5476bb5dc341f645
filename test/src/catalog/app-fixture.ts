import type {AppDefinition} from '../../../src/catalog/definition.js'
import {readDefinition} from '../../../src/catalog/read-definition.js'

const identity = {id: 'shop', name: 'Shop', description: 'A shop.', kind: 'template', logo: 'shop', category: 'other', available: true}

/** A definition with what the test is about; the gate has to take it. */
export function appWith(parts: object): AppDefinition {
  const {definition, issues} = readDefinition({...identity, ...parts})
  if (definition === null) throw new Error(JSON.stringify(issues))
  return definition
}

/** Bytes that are counted up, so that every secret is known. */
export function countingBytes(): (size: number) => Uint8Array {
  let next = 0
  return (size) => {
    next += 1
    return new Uint8Array(size).fill(next)
  }
}

/** The secret that the counting bytes give the n-th time. */
export const secretNumber = (n: number): string => n.toString(16).padStart(2, '0').repeat(32)

export const nowMs = Date.parse('2026-03-01T12:00:00.500Z')
