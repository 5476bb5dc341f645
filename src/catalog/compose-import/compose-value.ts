// What YAML gives is unknown until it was looked at.

export type Fields = Readonly<Record<string, unknown>>

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {}
}

/** The members of a list; a single value counts as a list of one. */
export function listOf(value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return []
  return Array.isArray(value) ? value : [value]
}

/** The text of a scalar; undefined for anything else. */
export function scalarText(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint' ? String(value) : undefined
}

/** A list of texts, given as a list or as a map of which the keys count. */
export function namesOf(value: unknown): string[] {
  if (isFields(value)) return Object.keys(value)
  return listOf(value).map(scalarText).filter((text) => text !== undefined)
}

/** `KEY=value` lines or a map; null where a key has no value. */
export function pairsOf(value: unknown): [string, string | null][] {
  if (isFields(value)) return Object.entries(value).map(([key, inner]) => [key, scalarText(inner) ?? null])
  return listOf(value).flatMap((line): [string, string | null][] => {
    const text = scalarText(line)
    if (text === undefined || text === '') return []
    const at = text.indexOf('=')
    return [at === -1 ? [text, null] : [text.slice(0, at), text.slice(at + 1)]]
  })
}
