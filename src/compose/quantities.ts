// Durations and sizes in one form each, so that the same meaning has the same text.

const unitsNs = {d: 86_400_000_000_000n, h: 3_600_000_000_000n, m: 60_000_000_000n, s: 1_000_000_000n, ms: 1_000_000n, us: 1_000n, ns: 1n} as const
const durationPiece = /(\d+(?:\.\d*)?|\.\d+)(d|h|ms|m|s|us|µs|ns)/gy

/** A duration such as `1m30s` in its largest whole unit (`90s`); undefined where the text is none. */
export function toDuration(text: string): string | undefined {
  const total = /^\+?0$/.test(text) ? 0n : sumDuration(text)
  if (total === undefined) return undefined
  if (total === 0n) return '0s'
  const unit = (['h', 'm', 's', 'ms', 'us'] as const).find((name) => total % unitsNs[name] === 0n) ?? 'ns'
  return `${total / unitsNs[unit]}${unit}`
}

function sumDuration(text: string): bigint | undefined {
  let end = 0
  let total = 0n
  for (const [piece, amount = '', unit = ''] of text.matchAll(durationPiece)) {
    end += piece.length
    total += scale(amount, unitsNs[(unit === 'µs' ? 'us' : unit) as keyof typeof unitsNs])
  }
  return end === text.length && end > 0 ? total : undefined
}

// With whole numbers throughout: 1.1 s shall not become 1.1000000000000001 s.
function scale(amount: string, unit: bigint): bigint {
  const [whole = '', fraction = ''] = amount.split('.')
  return (BigInt(`${whole}${fraction}` === '' ? '0' : `${whole}${fraction}`) * unit) / 10n ** BigInt(fraction.length)
}

const byteUnits = ['', 'k', 'm', 'g', 't'] as const

/** A size such as `1.5gb` in bytes; undefined where the text is none. */
export function toBytes(text: string): number | undefined {
  const [, amount, letter] = /^\s*(\d+(?:\.\d+)?)\s*(?:([kmgtKMGT])i?)?[bB]?\s*$/.exec(text) ?? []
  if (amount === undefined) return undefined
  const bytes = Math.trunc(Number(amount) * 1024 ** byteUnits.indexOf((letter ?? '').toLowerCase() as (typeof byteUnits)[number]))
  return Number.isSafeInteger(bytes) ? bytes : undefined
}

/** A size in its largest whole unit, as `1536m`. */
export function fromBytes(bytes: number): string {
  let [amount, unit] = [bytes, 0]
  while (amount !== 0 && amount % 1024 === 0 && unit < byteUnits.length - 1) [amount, unit] = [amount / 1024, unit + 1]
  return `${amount}${byteUnits[unit] ?? ''}${unit === 0 ? 'b' : ''}`
}
