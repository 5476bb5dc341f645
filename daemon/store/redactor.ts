import {createMaskerOf, maskText} from './masker.js'
import {buildAutomaton, type PatternAutomaton} from './pattern-automaton.js'
import {secretForms, shortestSecret} from './secret-forms.js'

/** Knows every secret in play; what is logged, told or thrown goes through it. */
export interface Redactor {
  /** Counts: a secret that was added twice is masked until it was removed twice. Shorter than four characters is not masked. */
  add(secret: string): void
  remove(secret: string): void
  /** Masks secrets in all their forms, and the userinfo of URLs. */
  redact(text: string): string
}

export function createRedactor(): Redactor {
  const uses = new Map<string, number>()
  let automaton: PatternAutomaton | undefined
  return {
    add(secret) {
      if (secret.length < shortestSecret) return
      const count = uses.get(secret) ?? 0
      uses.set(secret, count + 1)
      if (count === 0) automaton = undefined
    },
    remove(secret) {
      const count = uses.get(secret)
      if (count === undefined) return
      if (count > 1) return void uses.set(secret, count - 1)
      uses.delete(secret)
      automaton = undefined
    },
    redact(text) {
      if (uses.size === 0) return maskUserinfo(text)
      automaton ??= buildAutomaton([...uses.keys()].flatMap(secretForms))
      const masker = createMaskerOf(automaton)
      const start = masker.push(Buffer.from(text)).bytes
      return maskUserinfo(Buffer.concat([start, masker.flush().bytes]).toString())
    },
  }
}

// Bounded repetition keeps this linear; the last @ before a slash ends the userinfo, as passwords may hold one.
const userinfo = /\b([a-z][a-z0-9+.-]{0,30}:\/\/)[^\s/?#"'<>]{0,4096}@/gi

function maskUserinfo(text: string): string {
  return text.includes('://') ? text.replace(userinfo, `$1${maskText}@`) : text
}
