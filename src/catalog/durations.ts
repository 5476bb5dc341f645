const unitNs: Readonly<Record<string, number>> = {ns: 1, us: 1e3, µs: 1e3, ms: 1e6, s: 1e9, m: 60e9, h: 3600e9}
const formatUnits = ['h', 'm', 's', 'ms', 'us', 'ns'] as const
const largestNs = Number.MAX_SAFE_INTEGER

/** Reads `1m30s`, `500ms` or a bare number of seconds as nanoseconds; undefined for anything else. */
export function parseDurationNs(text: string): number | undefined {
  const given = text.trim()
  if (/^\d+(\.\d+)?$/.test(given)) return bounded(Number(given) * 1e9)
  if (!/^(?:\d+(?:\.\d+)?(?:ns|us|µs|ms|s|m|h))+$/.test(given)) return undefined
  let total = 0
  for (const [, amount = '', unit = ''] of given.matchAll(/(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h)/g)) total += Number(amount) * (unitNs[unit] ?? 0)
  return bounded(total)
}

function bounded(ns: number): number | undefined {
  const whole = Math.round(ns)
  return whole <= largestNs ? whole : undefined
}

/** A duration as Compose writes it, such as 1m30s. */
export function formatDuration(ns: number): string {
  let rest = ns
  const parts = formatUnits.map((unit) => {
    const size = unitNs[unit] ?? 1
    const amount = Math.floor(rest / size)
    rest -= amount * size
    return amount === 0 ? '' : `${amount}${unit}`
  })
  return parts.join('') || '0s'
}

/** The time a container gets to stop, in whole seconds: some time stays some time, and none stays none. */
export function stopGraceSeconds(text: string): number | undefined {
  const ns = parseDurationNs(text)
  if (ns === undefined) return undefined
  return ns > 0 ? Math.max(1, Math.round(ns / 1e9)) : 0
}
