import {Fault} from '../../../src/contract/faults.js'

const fraction = /\.(\d{1,9})\d*/

/** Seconds and nanoseconds of an instant, as the engine takes them; the nine digits that it writes are not lost. */
export function toUnixTime(instant: string): string {
  const epochMs = Date.parse(instant.replace(fraction, ''))
  if (Number.isNaN(epochMs)) throw new Fault('VALIDATION_ERROR', `${JSON.stringify(instant)} is not an instant`)
  return `${Math.floor(epochMs / 1000)}.${(fraction.exec(instant)?.[1] ?? '').padEnd(9, '0')}`
}
