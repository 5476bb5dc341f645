/** How many letters have to be put in, taken out, changed or swapped with their neighbour to make one text of the other. Gives up where it is more than the limit. */
export function editDistance(a: string, b: string, limit = Infinity): number {
  let beforeLast: number[] = []
  let last = Array.from({length: b.length + 1}, (_, index) => index)
  for (let i = 0; i < a.length; i += 1) {
    const current = [i + 1]
    for (let j = 0; j < b.length; j += 1) {
      const isSwapped = i > 0 && j > 0 && a[i] === b[j - 1] && a[i - 1] === b[j]
      current.push(
        Math.min((current[j] ?? 0) + 1, (last[j + 1] ?? 0) + 1, (last[j] ?? 0) + (a[i] === b[j] ? 0 : 1), isSwapped ? (beforeLast[j - 1] ?? 0) + 1 : Infinity),
      )
    }
    if (Math.min(...current) > limit) return Math.max(a.length, b.length)
    beforeLast = last
    last = current
  }
  return last[b.length] ?? 0
}

const longest = 64
const mostCandidates = 100

/** The candidate closest to a word, where one is close enough to be what was meant. Of very many only the first are looked at. */
export function findClosest(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length > longest) return undefined
  const limit = word.length > 3 ? 2 : 1
  let best: {readonly candidate: string; readonly distance: number} | undefined
  let looked = 0
  for (const candidate of candidates) {
    looked += 1
    if (looked > mostCandidates) break
    if (Math.abs(candidate.length - word.length) > limit || candidate === word) continue
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase(), limit)
    if (distance <= limit && distance < (best?.distance ?? Infinity)) best = {candidate, distance}
  }
  return best?.candidate
}

export type Guesser = typeof findClosest

/** Looks for the closest word so many times and no more: a file may have thousands of words that are none, and nobody reads so many proposals. */
export function createGuesser(most = 100): Guesser {
  let asked = 0
  return (word, candidates) => {
    asked += 1
    return asked > most ? undefined : findClosest(word, candidates)
  }
}
