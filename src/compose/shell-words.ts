/** Splits a text into words as a POSIX shell does, without running one: quotes and backslashes count, nothing is expanded. Undefined where a quote does not end. */
export function splitWords(text: string): string[] | undefined {
  const words: string[] = []
  let word: string | undefined
  let rest = text
  while (rest !== '') {
    const piece = piecePattern.exec(rest)
    if (piece?.groups === undefined) return undefined
    rest = rest.slice(piece[0].length)
    const {joined, space, single, double, escaped, plain} = piece.groups
    if (joined !== undefined) continue
    if (space !== undefined) {
      if (word !== undefined) words.push(word)
      word = undefined
    } else word = (word ?? '') + (single ?? (double === undefined ? undefined : inDoubleQuotes(double)) ?? escaped ?? plain ?? '')
  }
  return word === undefined ? words : [...words, word]
}

// An escaped line end is none at all: it stands between words, or within one.
const piecePattern = /^(?:(?<joined>\\\n)|(?<space>\s+)|'(?<single>[^']*)'|"(?<double>(?:[^"\\]|\\[\s\S])*)"|\\(?<escaped>[\s\S])|(?<plain>[^\s'"\\]+))/

function inDoubleQuotes(text: string): string {
  return text.replace(/\\([$`"\\\n])/g, (_, character: string) => (character === '\n' ? '' : character))
}
