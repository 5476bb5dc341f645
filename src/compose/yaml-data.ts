import type {YamlData} from './yaml-out.js'

export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

export function sortKeys<T>(record: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => compareText(a, b)))
}

/** A text that is what it was again once Compose has filled in its variables. */
export function escapeDollars(text: string): string {
  return text.replaceAll('$', '$$$$')
}

/** Plain data for the file, keys in one order and dollar signs doubled; what YAML has no word for is left out. */
export function toYamlData(value: unknown): YamlData | undefined {
  if (typeof value === 'string') return escapeDollars(value)
  if (value === null || typeof value === 'boolean') return value
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined
  if (Array.isArray(value)) return value.flatMap((item: unknown) => toYamlData(item) ?? [])
  return typeof value === 'object' ? toYamlRecord(value) : undefined
}

export function toYamlRecord(record: object): Record<string, YamlData> {
  return sortKeys(Object.fromEntries(Object.entries(record).flatMap(([key, value]): [string, YamlData][] => {
    const data = toYamlData(value)
    return data === undefined ? [] : [[key, data]]
  })))
}
