/** One figure to hold: ours beside the peer of the same run, or against a plain limit. */
export interface Measurement {
  readonly row: string
  readonly ours: number
  /** What ours is compared with; none where the figure is absolute. */
  readonly peer?: number
  readonly unit: string
  /** ours / peer, or ours itself. */
  readonly figure: number
  readonly required: {readonly atMost: number} | {readonly atLeast: number}
  readonly note?: string
}

/** A row whose part is not there, or can not run on this machine. */
export interface Missing {
  readonly row: string
  readonly missing: string
}

export interface Row {
  readonly name: string
  measure(): Promise<readonly (Measurement | Missing)[]>
}

export function isMissing(result: Measurement | Missing): result is Missing {
  return 'missing' in result
}

export function holds({figure, required}: Measurement): boolean {
  return 'atMost' in required ? figure <= required.atMost : figure >= required.atLeast
}

export function median(values: readonly number[]): number {
  return percentile(values, 50)
}

export function percentile(values: readonly number[], percent: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  const value = sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))]
  if (value === undefined) throw new Error('nothing was measured')
  return value
}

/** Measures several things by turns, so that whatever else the machine does falls on all of them; answers the median of each. */
export async function byTurns<K extends string>(rounds: number, things: Readonly<Record<K, () => Promise<number>>>): Promise<Record<K, number>> {
  const names = Object.keys(things) as K[]
  const values = new Map<K, number[]>(names.map((name) => [name, []]))
  for (let round = 0; round < rounds; round++) {
    for (const name of names) values.get(name)?.push(await things[name]())
  }
  return Object.fromEntries(names.map((name) => [name, median(values.get(name) ?? [])])) as Record<K, number>
}
