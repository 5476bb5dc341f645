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
    // A regular expression can only be stopped from outside of what runs it.
    const context = createContext({pattern, text})
    return new Script('new RegExp(pattern).test(text)').runInContext(context, {timeout: longestMatchMs}) === true
  } catch {
    return undefined
  }
}
