import type {Finding, Severity} from '../../catalog/lint/finding.js'
import type {Meaning, Paint} from '../colour.js'
import {displayWidth, toPrintable} from '../display-width.js'
import {shownName} from './definition-files.js'
import type {CheckedFile} from './read-definitions.js'

export interface PrettyView {
  readonly paint: Paint
  /** Show the line a finding is about. */
  readonly frames: boolean
  readonly width: number
  readonly infos: boolean
}

const meanings: Readonly<Record<Severity, Meaning>> = {error: 'failure', warning: 'warning', info: 'hint'}

/** The findings of one file for people; empty where there is nothing to say. */
export function prettyFile({name, text, findings}: CheckedFile, view: PrettyView): string {
  const shown = view.infos ? findings : findings.filter(({severity}) => severity !== 'info')
  if (shown.length === 0) return ''
  const lines = text?.split('\n') ?? []
  const blocks = shown.map((finding) => block(finding, lines, view))
  return `${view.paint('heading', toPrintable(shownName(name)))}\n${blocks.join('\n')}\n`
}

function block(finding: Finding, lines: readonly string[], view: PrettyView): string {
  const {line, column, severity, message, rule} = finding
  const place = `${line}:${column}`.padStart(7)
  const head = `${view.paint('hint', place)}  ${view.paint(meanings[severity], severity.padEnd(7))}  ${toPrintable(message)}  ${view.paint('hint', rule)}`
  const frame = view.frames && severity !== 'info' ? codeFrame(finding, lines, view) : undefined
  return frame === undefined ? head : `${head}\n${frame}\n`
}

const margin = 9

/** The line of a finding with carets under what it is about, cut around them where it is long. */
function codeFrame({line, column, endLine, endColumn, severity}: Finding, lines: readonly string[], {paint, width}: PrettyView): string | undefined {
  const text = lines[line - 1]?.replace(/\r$/, '')
  if (text === undefined || text.trim() === '') return undefined
  const room = Math.max(width - margin - 3, 20)
  const from = column - 1
  const to = Math.min(endLine === line ? Math.max(endColumn - 1, from + 1) : text.length, text.length)
  const start = from < room ? 0 : Math.max(0, from - Math.floor(room / 3))
  const cut = text.slice(start, start + room)
  const before = toPrintable(cut.slice(0, from - start))
  const marked = toPrintable(cut.slice(from - start, Math.max(to - start, from - start + 1)))
  const carets = '^'.repeat(Math.max(1, displayWidth(marked)))
  const shown = `${start > 0 ? '…' : ''}${toPrintable(cut)}${start + room < text.length ? '…' : ''}`
  const gutter = (label: string): string => paint('hint', `${label.padStart(margin - 2)} | `)
  return `${gutter(String(line))}${shown}\n${gutter('')}${' '.repeat(displayWidth(before) + (start > 0 ? 1 : 0))}${paint(meanings[severity], carets)}`
}
