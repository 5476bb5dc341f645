// Columns a text takes on a terminal: wide letters take two, combining marks none.

const wide = /[\u1100-\u115F\u2E80-\u303E\u3041-\uA4CF\uA960-\uA97F\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF01-\uFF60\uFFE0-\uFFE6\u{1F300}-\u{1F64F}\u{1F680}-\u{1F6FF}\u{1F900}-\u{1F9FF}\u{1FA70}-\u{1FAFF}\u{20000}-\u{3FFFD}]/u
const zeroWidth = /^[\p{Mark}\p{Format}\p{Control}]+$/u
const sequences = /\u001B\[[\d;]*[A-Za-z]/g
const plainAscii = /^[\x20-\x7E]*$/

export function displayWidth(text: string): number {
  if (plainAscii.test(text)) return text.length
  let width = 0
  for (const letter of letters(text.replace(sequences, ''))) width += letterWidth(letter)
  return width
}

/** Cuts to a width; an ellipsis takes the last column of what was cut. */
export function truncate(text: string, width: number): string {
  if (displayWidth(text) <= width) return text
  let kept = ''
  let used = 0
  for (const letter of letters(text)) {
    used += letterWidth(letter)
    if (used > width - 1) break
    kept += letter
  }
  return width < 1 ? '' : `${kept}…`
}

/** Shows control characters instead of obeying them: no cell may move the cursor or change the colour. */
export function toPrintable(text: string): string {
  return escapeControls(text.replace(/\r?\n/g, ' ⏎ ').replace(/\t/g, ' '))
}

/** The same for a text of several lines: it keeps them, and its tabs. */
export function toPrintableLines(text: string): string {
  return text.split(/\r?\n/).map((line) => line.split('\t').map(escapeControls).join('\t')).join('\n')
}

// Those that turn the direction of writing make a text look like another.
function escapeControls(text: string): string {
  return text.replace(/[\p{Control}\u202A-\u202E\u2066-\u2069]/gu, (letter) => {
    const code = letter.charCodeAt(0).toString(16)
    return code.length > 2 ? `\\u${code}` : `\\x${code.padStart(2, '0')}`
  })
}

function letterWidth(letter: string): number {
  if (zeroWidth.test(letter)) return 0
  return wide.test(letter) || /\p{Emoji_Presentation}/u.test(letter) ? 2 : 1
}

function* letters(text: string): Generator<string> {
  for (const {segment} of new Intl.Segmenter('en', {granularity: 'grapheme'}).segment(text)) yield segment
}
