/** Whether a value is nested deeper than so many levels. Never looks further down than that, so that no value is too deep to ask about. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  return Object.values(value).some((member: unknown) => isDeeperThan(member, levels - 1))
}
