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
export function matchesPattern(pattern: string, text: string): boolean | undefined {
  try {
    if (isQuick(pattern, text)) return new RegExp(pattern).test(text)
    // A regular expression can only be stopped from outside of what runs it.
    const context = createContext({pattern, text})
    return new Script('new RegExp(pattern).test(text)').runInContext(context, {timeout: longestMatchMs}) === true
  } catch {
    return undefined
  }
}

// A context of its own costs a thousand times what matching does. Two repetitions, none of them of a group, can not take long over a short text.
function isQuick(pattern: string, text: string): boolean {
  const repetitions = pattern.match(/[*+]|\{\d/g) ?? []
  return text.length <= 200 && repetitions.length <= 2 && !/\)[*+{]|\\[1-9k]/.test(pattern)
}
