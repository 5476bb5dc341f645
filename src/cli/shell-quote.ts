/** Words as shell text. A single word is shell text already. */
export function toShellText(words: readonly string[]): string {
  const [first, ...rest] = words
  if (first !== undefined && rest.length === 0) return first
  return words.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)).join(' ')
}
