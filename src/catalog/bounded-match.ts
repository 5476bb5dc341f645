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
  try {
    if (isQuick(pattern, text)) return new RegExp(pattern).test(text)
    // A regular expression can only be stopped from outside of what runs it.
    const context = createContext({pattern, text})
    return new Script('new RegExp(pattern).test(text)').runInContext(context, {timeout: longestMs}) === true
  } catch {
    return undefined
  }
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
