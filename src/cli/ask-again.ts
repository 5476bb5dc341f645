import {Fault} from '../contract/faults.js'
import type {Output} from './output.js'
import type {Prompts} from './prompts.js'

export interface Asking {
  readonly prompts: Prompts
  readonly out: Output
}

export interface AskedValue<T> {
  readonly text: string
  readonly flag: string
  /** What is typed is not shown. */
  readonly hidden?: boolean
  readonly given: string | undefined
  readonly preset?: string | undefined
  readonly parse: (answer: string) => T
}

const mostTries = 3

/** Takes a value from its flag, else asks for it. A wrong flag ends the command; a wrong answer is told and asked again. */
export function asker({prompts, out}: Asking): <T>(question: AskedValue<T>) => Promise<T> {
  return async ({text, flag, hidden = false, given, preset, parse}) => {
    if (given !== undefined || !prompts.canAsk) return parseFlag(parse, given ?? preset ?? '', flag)
    for (let tries = 1; ; tries += 1) {
      try {
        return parse(await (hidden ? prompts.askSecret({text, flag}) : prompts.ask({text, flag, ...(preset !== undefined && {default: preset})})))
      } catch (error) {
        if (!(error instanceof Fault) || error.code !== 'USAGE' || tries === mostTries) throw error
        out.warn(error.message)
      }
    }
  }
}

function parseFlag<T>(parse: (answer: string) => T, value: string, flag: string): T {
  try {
    return parse(value)
  } catch (error) {
    if (error instanceof Fault) throw new Fault('USAGE', `${flag}: ${error.message}`, {cause: error})
    throw error
  }
}
