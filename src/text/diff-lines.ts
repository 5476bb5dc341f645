interface Labels {
  readonly from: string
  readonly to: string
}

interface Edit {
  readonly kind: ' ' | '-' | '+'
  readonly text: string
}

const context = 3

/** A unified diff of two texts, as `diff -u` prints it; empty where they are the same. */
export function diffLines(before: string, after: string, {from, to}: Labels): string {
  const edits = toEdits(linesOf(before), linesOf(after))
  const hunks = toHunks(edits)
  return hunks.length === 0 ? '' : `--- ${from}\n+++ ${to}\n${hunks.join('')}`
}

function linesOf(text: string): string[] {
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines
}

// The longest common subsequence, of what is left between equal beginnings and ends.
function toEdits(a: readonly string[], b: readonly string[]): Edit[] {
  let start = 0
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1
  let end = 0
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1
  const keep = (lines: readonly string[]): Edit[] => lines.map((text) => ({kind: ' ', text}))
  return [...keep(a.slice(0, start)), ...between(a.slice(start, a.length - end), b.slice(start, b.length - end)), ...keep(a.slice(a.length - end))]
}

function between(a: readonly string[], b: readonly string[]): Edit[] {
  const lengths = Array.from({length: a.length + 1}, () => new Uint32Array(b.length + 1))
  const at = (i: number, j: number) => lengths[i]?.[j] ?? 0
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      const row = lengths[i]
      if (row !== undefined) row[j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
    }
  }
  const edits: Edit[] = []
  let [i, j] = [0, 0]
  while (i < a.length || j < b.length) {
    const [x, y] = [a[i], b[j]]
    if (x !== undefined && x === y) {
      edits.push({kind: ' ', text: x})
      i += 1
      j += 1
    } else if (x !== undefined && (y === undefined || at(i + 1, j) >= at(i, j + 1))) {
      edits.push({kind: '-', text: x})
      i += 1
    } else if (y !== undefined) {
      edits.push({kind: '+', text: y})
      j += 1
    }
  }
  return edits
}

function toHunks(edits: readonly Edit[]): string[] {
  const changed = edits.flatMap(({kind}, index) => (kind === ' ' ? [] : [index]))
  const hunks: string[] = []
  let next = 0
  while (next < changed.length) {
    const first = changed[next] ?? 0
    let last = first
    while (next < changed.length && (changed[next] ?? 0) - last <= 2 * context) {
      last = changed[next] ?? last
      next += 1
    }
    hunks.push(toHunk(edits, Math.max(0, first - context), Math.min(edits.length, last + context + 1)))
  }
  return hunks
}

function toHunk(edits: readonly Edit[], from: number, to: number): string {
  const count = (part: readonly Edit[], kind: '-' | '+') => part.filter((edit) => edit.kind === ' ' || edit.kind === kind).length
  const [before, inside] = [edits.slice(0, from), edits.slice(from, to)]
  const range = (kind: '-' | '+') => `${count(before, kind) + (count(inside, kind) === 0 ? 0 : 1)},${count(inside, kind)}`
  return `@@ -${range('-')} +${range('+')} @@\n${inside.map(({kind, text}) => `${kind}${text}\n`).join('')}`
}
