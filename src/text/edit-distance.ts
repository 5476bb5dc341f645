/** How many letters have to be put in, taken out or changed to make one text of the other. */
export function editDistance(a: string, b: string): number {
  let previous = Array.from({length: b.length + 1}, (_, index) => index)
  for (const [i, letter] of [...a].entries()) {
    const current = [i + 1]
    for (const [j, other] of [...b].entries()) {
      current.push(Math.min((current[j] ?? 0) + 1, (previous[j + 1] ?? 0) + 1, (previous[j] ?? 0) + (letter === other ? 0 : 1)))
    }
    previous = current
  }
  return previous[b.length] ?? 0
}

const longest = 64

/** The candidate closest to a word, where one is close enough to be what was meant. */
export function findClosest(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length > longest) return undefined
  const limit = word.length > 3 ? 2 : 1
  let best: {readonly candidate: string; readonly distance: number} | undefined
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - word.length) > limit || candidate === word) continue
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase())
    if (distance <= limit && distance < (best?.distance ?? Infinity)) best = {candidate, distance}
  }
  return best?.candidate
}
