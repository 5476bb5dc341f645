/** The entries of a list whose name an earlier one has already. */
export function findRepeats<T>(items: readonly T[], nameOf: (item: T) => string): {readonly item: T; readonly index: number}[] {
  const seen = new Set<string>()
  return items.flatMap((item, index) => {
    const name = nameOf(item)
    if (seen.has(name)) return [{item, index}]
    seen.add(name)
    return []
  })
}
