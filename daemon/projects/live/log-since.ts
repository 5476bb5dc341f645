import {invalidInput} from '../../../src/contract/faults.js'
import {toInstant} from '../../clock.js'

const unitMs: Readonly<Record<string, number>> = {s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000}
const instant = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)?)?$/

/** The instant that `since` means: one of ISO 8601, which keeps its digits, or a duration before now such as 90s or 1h30m. */
export function parseSince(text: string, nowMs: number): string {
  const parts = [...text.matchAll(/(\d{1,9})([smhd])/g)]
  if (parts.length > 0 && parts.map(([part]) => part).join('') === text) {
    const backMs = parts.reduce((sum, [, amount, unit = '']) => sum + Number(amount) * (unitMs[unit] ?? 0), 0)
    return toInstant(Math.max(0, nowMs - backMs))
  }
  if (instant.test(text) && !Number.isNaN(Date.parse(text))) return text
  throw invalidInput([{path: '/since', message: 'is neither an ISO 8601 instant nor a duration such as 10m'}])
}
