import {Fault} from '../contract/faults.js'

const unitMs = {ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000} as const
type Unit = keyof typeof unitMs

/** `90s`, `5m`, `2h`, `1d`, `1h30m`, `250ms`; a bare number is refused, as nobody knows its unit. */
export function parseDuration(text: string, flag: string): number {
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|[smhd])/g)]
  if (parts.length === 0 || parts.map(([part]) => part).join('') !== text) {
    throw new Fault('USAGE', `${flag} takes a duration such as 90s, 5m or 2h, not ${JSON.stringify(text)}`, {details: {flag}})
  }
  const totalMs = parts.reduce((sum, [, amount, unit]) => sum + Number(amount) * (isUnit(unit) ? unitMs[unit] : Number.NaN), 0)
  if (!Number.isSafeInteger(Math.round(totalMs)) || totalMs > 366 * unitMs.d) throw new Fault('USAGE', `${flag} is longer than a year`, {details: {flag}})
  return Math.round(totalMs)
}

function isUnit(text: string | undefined): text is Unit {
  return text !== undefined && Object.hasOwn(unitMs, text)
}

/** Two units at most: `2h 5m`, `1m 3s`, `3.4s`, `120ms`. */
export function formatDuration(durationMs: number): string {
  if (durationMs < 1000) return `${Math.round(durationMs)}ms`
  if (durationMs < 10_000) return `${Math.floor(durationMs / 100) / 10}s`
  const seconds = Math.floor(durationMs / 1000)
  const parts: [number, string][] = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'm'],
    [seconds % 60, 's'],
  ]
  const first = parts.findIndex(([amount]) => amount > 0)
  return parts.slice(first, first + 2).filter(([amount]) => amount > 0).map(([amount, unit]) => `${amount}${unit}`).join(' ')
}

/** `in 5m`, `3h 2m ago`, `now`. */
export function formatRelative(instant: string, nowMs: number): string {
  const distanceMs = Date.parse(instant) - nowMs
  const size = Math.abs(distanceMs)
  if (size < 1000) return 'now'
  const text = formatDuration(size < 60_000 ? Math.floor(size / 1000) * 1000 : Math.floor(size / 60_000) * 60_000)
  return distanceMs > 0 ? `in ${text}` : `${text} ago`
}

/** A local time of a zone, with the zone: `Tue 2030-01-01 03:00 Europe/Berlin`. */
export function formatInZone(instant: Date, timeZone: string): string {
  const parts = new Intl.DateTimeFormat('en-GB', {
    timeZone, weekday: 'short', year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23',
  }).formatToParts(instant)
  const part = (type: string) => parts.find((candidate) => candidate.type === type)?.value ?? ''
  const seconds = part('second') === '00' ? '' : `:${part('second')}`
  return `${part('weekday')} ${part('year')}-${part('month')}-${part('day')} ${part('hour')}:${part('minute')}${seconds} ${timeZone}`
}

export function formatBytes(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB']
  const power = Math.min(bytes < 1024 ? 0 : Math.floor(Math.log2(bytes) / 10), units.length - 1)
  const amount = bytes / 1024 ** power
  return `${power === 0 || amount >= 100 ? Math.round(amount) : amount.toFixed(1)} ${units[power]}`
}
