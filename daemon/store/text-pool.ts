// Texts this short cost less than looking them up.
const shortest = 9
const slots = 8192

/**
 * Makes equal texts of documents one text. Keys, ids and instants repeat in most documents, and each JSON.parse makes them anew: for a
 * history of runs that is a third of the heap. The pool is of fixed size; a text that finds its slot taken takes it over.
 */
export class TextPool {
  readonly #slots: (string | undefined)[] = new Array<string | undefined>(slots)

  /** Replaces texts inside a value that was just parsed and that nobody else holds. */
  share(value: unknown): void {
    if (typeof value !== 'object' || value === null) return
    const members = value as Record<string, unknown>
    for (const key in members) {
      const member = members[key]
      if (typeof member === 'string') {
        if (member.length < shortest) continue
        const shared = this.#one(member)
        if (shared !== undefined) members[key] = shared
      } else if (typeof member === 'object') this.share(member)
    }
  }

  /** The text that was met before; undefined where this one is new. */
  #one(text: string): string | undefined {
    const slot = hash(text)
    const known = this.#slots[slot]
    if (known === text) return known
    this.#slots[slot] = text
    return undefined
  }
}

// The last characters differ most: of ids, keys and instants alike.
function hash(text: string): number {
  let sum = text.length
  for (let at = text.length - 1, left = 7; left > 0; at--, left--) sum = (Math.imul(sum, 31) + text.charCodeAt(at)) | 0
  return (sum ^ (sum >>> 13)) & (slots - 1)
}
