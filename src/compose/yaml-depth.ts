import {Lexer} from 'yaml'

const scalarMark = '\u001f'
const opening = new Set(['[', '{'])
const closing = new Set([']', '}'])
const marks = new Set(['-', '?', ':', ','])

/**
 * Whether a YAML text nests deeper than a number of levels, told from its tokens alone: the parser calls itself for every level, and one that runs out
 * of stack may take the whole process along.
 */
export function isDeeperThan(text: string, levels: number): boolean {
  /** Columns at which blocks begin, each to the right of the one before. */
  const blocks: number[] = []
  let flow = 0
  let column = 0
  let isScalar = false
  for (const token of new Lexer().lex(text)) {
    if (token === scalarMark) isScalar = true
    else if (opening.has(token)) flow += 1
    else if (closing.has(token)) flow = Math.max(0, flow - 1)
    if (flow === 0 && token.trim() !== '' && (isScalar || marks.has(token)) && token !== scalarMark) beginAt(blocks, column)
    if (token !== scalarMark) isScalar = false
    if (blocks.length + flow > levels) return true
    const end = token.lastIndexOf('\n')
    column = end === -1 ? column + token.length : token.length - end - 1
  }
  return false
}

function beginAt(blocks: number[], column: number): void {
  while ((blocks.at(-1) ?? -1) > column) blocks.pop()
  if ((blocks.at(-1) ?? -1) < column) blocks.push(column)
}
