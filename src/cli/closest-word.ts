import {editDistance} from './similar-commands.js'

/** The word that was probably meant; undefined where none is close. */
export function closestWord(typed: string, words: readonly string[]): string | undefined {
  const scored = words.map((word) => ({word, distance: editDistance(plain(typed), plain(word))}))
  const [best] = scored.toSorted((a, b) => a.distance - b.distance)
  return best !== undefined && best.distance <= Math.max(2, Math.floor(best.word.length / 4)) ? best.word : undefined
}

function plain(word: string): string {
  return word.toLowerCase().replace(/[_\s-]/g, '')
}
