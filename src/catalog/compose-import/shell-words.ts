/** Splits a text into words as Compose does with a command: quotes and backslashes count, nothing is expanded. Undefined where a quote does not end. */
export function splitWords(text: string): string[] | undefined {
  const words: string[] = []
  let word: string | undefined
  let quote = ''
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] ?? ''
    if (quote === "'") {
      if (character === quote) quote = ''
      else word += character
    } else if (character === '\\' && (quote === '' || '"\\$`\n'.includes(text[at + 1] ?? ' '))) {
      at += 1
      // An escaped line end is none at all.
      if (text[at] !== '\n') word = (word ?? '') + (text[at] ?? '')
    } else if (quote === '"') {
      if (character === quote) quote = ''
      else word += character
    } else if (character === '"' || character === "'") {
      quote = character
      word ??= ''
    } else if (/\s/.test(character)) {
      if (word !== undefined) words.push(word)
      word = undefined
    } else word = (word ?? '') + character
  }
  if (quote !== '') return undefined
  return word === undefined ? words : [...words, word]
}

/** A word as a POSIX shell reads it back. */
export function quoteWord(word: string): string {
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
