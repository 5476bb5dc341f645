import {splitFields} from './fields.js'

/** The expression in words. Throws VALIDATION_ERROR for one that is not valid. */
export async function describeSchedule(expression: string): Promise<string> {
  const fields = splitFields(expression)
  const {default: cronstrue} = await import('cronstrue')
  const words = cronstrue.toString(fields.join(' '), {use24HourTimeFormat: true, verbose: false})
  return words.charAt(0).toLowerCase() + words.slice(1)
}
