/** Finds all patterns in one pass over bytes (Aho–Corasick), in time that no input can make worse. */
export interface PatternAutomaton {
  /** The state after one more byte; 0 is the start. */
  next(state: number, byte: number): number
  /** Length of the longest pattern that ends at a state; 0 where none does. */
  matchOf(state: number): number
  /** How many of the bytes just read may be the start of a pattern. */
  depthOf(state: number): number
}

const byteValues = 256
// Rows of a kilobyte for the states that text meets most: with many patterns, lists of siblings would be walked at every byte.
const mostRows = 2048
const childrenOfARow = 8

export function buildAutomaton(patterns: readonly Uint8Array[]): PatternAutomaton {
  const trie = new Trie(patterns.reduce((sum, {length}) => sum + length, 1))
  for (const pattern of patterns) if (pattern.length > 0) trie.insert(pattern)
  trie.link()
  return trie
}

/** Children are lists of siblings in flat arrays: a pattern of 64 KB costs little more than itself. Those of the start are a table. */
class Trie implements PatternAutomaton {
  readonly #root = new Int32Array(byteValues)
  readonly #byte: Uint8Array
  readonly #firstChild: Int32Array
  readonly #sibling: Int32Array
  readonly #fail: Int32Array
  readonly #depth: Int32Array
  readonly #match: Int32Array
  /** Which row a state has; 0 for none. */
  readonly #rowOf: Int32Array
  readonly #rows: Int32Array[] = [this.#root]
  #size = 1

  constructor(capacity: number) {
    this.#byte = new Uint8Array(capacity)
    this.#firstChild = new Int32Array(capacity)
    this.#sibling = new Int32Array(capacity)
    this.#fail = new Int32Array(capacity)
    this.#depth = new Int32Array(capacity)
    this.#match = new Int32Array(capacity)
    this.#rowOf = new Int32Array(capacity)
  }

  insert(pattern: Uint8Array): void {
    let state = 0
    for (const byte of pattern) state = this.#child(state, byte) || this.#add(state, byte)
    this.#match[state] = pattern.length
  }

  #add(parent: number, byte: number): number {
    const state = this.#size++
    this.#byte[state] = byte
    this.#depth[state] = at(this.#depth, parent) + 1
    if (parent === 0) this.#root[byte] = state
    else this.#sibling[state] = at(this.#firstChild, parent)
    this.#firstChild[parent] = state
    return state
  }

  #child(state: number, byte: number): number {
    if (state === 0) return at(this.#root, byte)
    let child = at(this.#firstChild, state)
    while (child !== 0 && this.#byte[child] !== byte) child = at(this.#sibling, child)
    return child
  }

  /** Breadth first, so that the state to fall back to is finished before those that need it. */
  link(): void {
    const queue = new Int32Array(this.#size)
    let end = 0
    for (const state of this.#root) if (state !== 0) queue[end++] = state
    for (let start = 0; start < end; start++) {
      const state = at(queue, start)
      const fail = at(this.#fail, state)
      this.#match[state] = Math.max(at(this.#match, state), at(this.#match, fail))
      for (let child = at(this.#firstChild, state); child !== 0; child = at(this.#sibling, child)) {
        this.#fail[child] = this.next(fail, at(this.#byte, child))
        queue[end++] = child
      }
      if (this.#rows.length < mostRows && this.#wantsRow(state)) this.#makeRow(state, fail)
    }
  }

  #wantsRow(state: number): boolean {
    if (at(this.#depth, state) === 1) return true
    let children = 0
    for (let child = at(this.#firstChild, state); child !== 0 && children < childrenOfARow; child = at(this.#sibling, child)) children++
    return children === childrenOfARow
  }

  #makeRow(state: number, fail: number): void {
    const row = new Int32Array(byteValues)
    for (let byte = 0; byte < byteValues; byte++) row[byte] = this.#child(state, byte) || this.next(fail, byte)
    this.#rowOf[state] = this.#rows.length
    this.#rows.push(row)
  }

  next(from: number, byte: number): number {
    let state = from
    for (;;) {
      const row = at(this.#rowOf, state)
      if (row !== 0) return at(this.#rows[row] ?? this.#root, byte)
      const child = this.#child(state, byte)
      if (child !== 0 || state === 0) return child
      state = at(this.#fail, state)
    }
  }

  matchOf(state: number): number {
    return at(this.#match, state)
  }

  depthOf(state: number): number {
    return at(this.#depth, state)
  }
}

function at(values: Int32Array | Uint8Array, index: number): number {
  return values[index] ?? 0
}
