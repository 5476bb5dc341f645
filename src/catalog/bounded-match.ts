import {createContext, Script} from 'node:vm'

const longestMatchMs = 100

/** Whether a text is a regular expression. */
export function isPattern(text: string): boolean {
  try {
    new RegExp(text)
    return true
  } catch {
    return false
  }
}

/** Whether a pattern is found in a text; undefined where it is no pattern, or where looking takes too long: definitions come from anybody. */
export function matchesPattern(pattern: string, text: string, longestMs = longestMatchMs): boolean | undefined {
  const found = exec(pattern, text, longestMs)
  return found === undefined ? undefined : found !== null
}

/** What a pattern finds first in a text: its first group, or all of it where it has none. Undefined where it finds nothing, is no pattern or takes too long. */
export function findPattern(pattern: string, text: string, longestMs = longestMatchMs): string | undefined {
  const found = exec(pattern, text, longestMs)
  if (found == null) return undefined
  // A group that took no part in it found nothing.
  return found.length > 1 ? (found[1] ?? '') : found[0]
}

function exec(pattern: string, text: string, longestMs: number): readonly string[] | null | undefined {
  try {
    if (isQuick(pattern, text)) return new RegExp(pattern).exec(text)
    // A regular expression can only be stopped from outside of what runs it.
    const context = createContext({pattern, text})
    const found: unknown = new Script('JSON.stringify(new RegExp(pattern).exec(text))').runInContext(context, {timeout: longestMs})
    return toTexts(typeof found === 'string' ? JSON.parse(found) : null)
  } catch {
    return undefined
  }
}

function toTexts(found: unknown): readonly string[] | null {
  return Array.isArray(found) ? found.map((text: unknown) => (typeof text === 'string' ? text : '')) : null
}

const mostSteps = 10_000_000

// A context of its own costs a thousand times what matching does. Without a repeated group, each repetition goes over the text once more at worst;
// with one it may try every choice at every letter, of which a short text has not many.
function isQuick(pattern: string, text: string): boolean {
  if (/\\[1-9k]/.test(pattern)) return false
  const repetitions = pattern.match(/[*+]|\{\d/g)?.length ?? 0
  if (!/\)(?:[*+]|\{\d)/.test(pattern)) return (text.length + 1) ** (repetitions + 1) <= mostSteps
  const choices = repetitions + (pattern.match(/\||[^(]\?/g)?.length ?? 0)
  return Math.max(2, choices) ** text.length <= mostSteps
}
