const shortest = 7

/** Whether two ids name the same commit: one may be short. What is no hexadecimal id is never the same. */
export function isSameCommit(one: string | null, other: string | null): boolean {
  if (one === null || other === null) return false
  const [short, long] = one.length <= other.length ? [one, other] : [other, one]
  return /^[0-9a-f]+$/i.test(long) && short.length >= shortest && long.toLowerCase().startsWith(short.toLowerCase())
}
