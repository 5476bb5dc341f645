const longest = 60

/** A word of the file as a sentence shows it: in quotes unless it is a plain word, and cut where it is long. */
export function quote(word: string): string {
  const cut = word.length > longest ? `${word.slice(0, longest - 1)}…` : word
  return /^[\w$./:@+-]+$/.test(cut) ? cut : JSON.stringify(cut)
}

const longestLine = 500

/** One line that obeys no control character, whatever the file holds. */
export function toLine(message: string): string {
  // Sentences often start with a word of the file, which may be empty.
  const line = message.replace(/\p{Control}+/gu, ' ').replace(/^(?=\s)/, '""')
  return line.length > longestLine ? `${line.slice(0, longestLine - 1)}…` : line
}
