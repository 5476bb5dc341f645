import {createGuesser} from '../../text/edit-distance.js'
import type {UnknownKey} from '../unknown-keys.js'
import {adviceFor, composeBuildKeys, composeServiceKeys, composeTopKeys} from './compose-keys.js'
import {findHome, findKnownKey} from './known-keys.js'
import {quote} from './quote.js'
import type {Problem, Rule} from './rule.js'

const service = {name: 'web', image: 'ghcr.io/example/paste:1.4.2'}

/** Keys that the format does not have; they are stripped when the definition is loaded. Found by comparing with the schema. */
export const keyRules: readonly Rule[] = [
  {
    id: 'unknown-key', severity: 'warning', meaning: 'a key that the format does not have',
    why: 'It is dropped without a word when the definition is loaded, so a misspelt key has no effect. --fix mends those where only capitals, hyphens or underscores differ.',
    bad: {app: {services: [service, {...service, name: 'worker', depends_on: ['web']}]}},
    good: {app: {services: [service, {...service, name: 'worker', dependsOn: ['web']}]}},
  },
  {
    id: 'compose-key', severity: 'warning', meaning: 'a key of Compose that has no counterpart',
    why: 'It is dropped without a word when the definition is loaded; the message says what to do instead.',
    bad: {app: {services: [{...service, container_name: 'paste', privileged: true}]}},
    good: {app: {services: [service]}},
  },
]

export interface KeyProblem extends Problem {
  readonly rule: 'unknown-key' | 'compose-key'
}

/** What to say about keys that the format does not have. `siblings` are the keys beside each. */
export function checkUnknownKeys(unknown: readonly UnknownKey[], siblingsOf: (found: UnknownKey) => readonly string[]): KeyProblem[] {
  const guess = createGuesser()
  return unknown.map((found) => {
    const {path, key} = found
    const habit = composeAdvice(found)
    if (habit !== undefined) return {rule: 'compose-key', path, part: 'key', message: `${quote(key)} is a key of Compose, not of a definition; ${habit}`}
    if (key === '__proto__') return {rule: 'unknown-key', path, part: 'key', message: 'a key can not be called __proto__; it is dropped'}
    const advice = findKnownKey(found, guess)
    if (advice === undefined) return {rule: 'unknown-key', path, part: 'key', message: `${quote(key)} is not a key of the format and is dropped; ${elseAdvice(found)}`}
    const isFree = !siblingsOf(found).includes(advice.key)
    return {
      rule: 'unknown-key', path, part: 'key', suggestion: advice.key,
      message: `${quote(key)} is not a key of the format and is dropped; did you mean ${advice.key}?`,
      ...(advice.isSameWord && isFree && {renameTo: advice.key}),
    }
  })
}

function composeAdvice({path, key}: UnknownKey): string | undefined {
  if (path.length === 1) return adviceFor(key, composeTopKeys)
  if (path[0] !== 'services') return undefined
  if (path.length === 3) return adviceFor(key, composeServiceKeys)
  return path.length === 4 && path[2] === 'build' ? adviceFor(key, composeBuildKeys) : undefined
}

const mostListed = 14

function elseAdvice({key, known}: UnknownKey): string {
  return findHome(key) ?? (known.length > mostListed ? 'delete it' : `there are ${known.join(', ')}`)
}
