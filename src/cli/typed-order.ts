// The parser puts a word after `--` where it first stood, so that one which is a flag, too, would come first.

/** The positional words that a parser found, in the order in which they were typed. */
export function inTypedOrder(words: readonly string[], typed: readonly string[]): readonly string[] {
  const end = typed.indexOf('--')
  if (end === -1) return words
  const passed = typed.slice(end + 1)
  const named = [...words]
  for (const word of passed) {
    const at = named.indexOf(word)
    if (at !== -1) named.splice(at, 1)
  }
  return [...named, ...passed]
}
