import type {Environment} from '../config/environment.js'

/** What a piece of text means; how that looks is decided here alone. */
export type Meaning = 'failure' | 'success' | 'warning' | 'hint' | 'heading' | 'name'
export type Paint = (meaning: Meaning, text: string) => string

const codes: Readonly<Record<Meaning, readonly [number, number]>> = {
  failure: [31, 39],
  success: [32, 39],
  warning: [33, 39],
  hint: [2, 22],
  heading: [1, 22],
  name: [36, 39],
}

export interface ColourSwitches {
  readonly json: boolean
  readonly noColorFlag: boolean
}

type ColourEnvironment = Pick<Environment, 'noColor' | 'forceColor' | 'dumbTerminal'>

/** Whether one stream gets colour; asked for each stream, as one may be a terminal and the other not. */
export function hasColour(isTerminal: boolean, switches: ColourSwitches, environment: ColourEnvironment): boolean {
  if (switches.json || switches.noColorFlag) return false
  if (environment.noColor) return false
  if (environment.forceColor !== undefined) return environment.forceColor
  if (environment.dumbTerminal) return false
  return isTerminal
}

export function createPaint(enabled: boolean): Paint {
  if (!enabled) return (_, text) => text
  return (meaning, text) => {
    const [on, off] = codes[meaning]
    return `\u001B[${on}m${text}\u001B[${off}m`
  }
}
