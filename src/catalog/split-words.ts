/** Splits a command into words as a shell does, quotes and backslashes included, and nothing more; undefined where a quote is not closed. */
export function splitWords(text: string): string[] | undefined {
  const words: string[] = []
  // An escaped line end is white space.
  const word = /(?:\s|\\\n)*((?:[^\s"'\\]|\\[^\n]|(?<=\S)\\\n(?=\S)|"(?:[^"\\]|\\[\s\S])*"|'[^']*')+)(?:\s|\\\n)*/y
  while (word.lastIndex < text.length) {
    const start = word.lastIndex
    const match = word.exec(text)
    if (match === null) return text.slice(start).trim() === '' ? words : undefined
    words.push(unquote(match[1] ?? ''))
  }
  return words
}

function unquote(word: string): string {
  return word.replace(/\\([\s\S])|"((?:[^"\\]|\\[\s\S])*)"|'([^']*)'/g, (_, escaped?: string, double?: string, single?: string) => {
    if (escaped !== undefined) return escaped === '\n' ? '' : escaped
    if (double !== undefined) return double.replace(/\\(["\\$`])|\\\n/g, (_whole, kept?: string) => kept ?? '')
    return single ?? ''
  })
}
