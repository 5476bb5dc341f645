import type {Paint} from './colour.js'
import {displayWidth, toPrintable, truncate} from './display-width.js'
import {formatRelative} from './time-text.js'

export type Cell = string | number | boolean | null | undefined

export interface Column<T> {
  readonly heading: string
  readonly value: (row: T) => Cell
  /** `time`: an instant, shown relative on a terminal; numbers stand right. */
  readonly kind?: 'text' | 'number' | 'time' | 'status'
  /** Never cut, as one has to be able to paste it. */
  readonly whole?: boolean
}

export interface TableView {
  readonly terminal: boolean
  readonly width: number
  readonly nowMs: number
  readonly paint: Paint
}

/** The one table: for people on a terminal, tab-separated with nothing cut or reworded elsewhere. */
export function renderTable<T>(columns: readonly Column<T>[], rows: readonly T[], view: TableView): string {
  return view.terminal ? renderFitted(columns, rows, view) : renderTabbed(columns, rows)
}

function renderTabbed<T>(columns: readonly Column<T>[], rows: readonly T[]): string {
  return rows.map((row) => `${columns.map((column) => tabbedCell(column.value(row))).join('\t')}\n`).join('')
}

function tabbedCell(cell: Cell): string {
  if (cell === null || cell === undefined) return ''
  // A pipe, too, often ends at a terminal.
  return toPrintable(String(cell).replace(/\\/g, '\\\\').replace(/\t/g, '\\t').replace(/\n/g, '\\n').replace(/\r/g, '\\r'))
}

const gap = 2
const narrowest = 8

function renderFitted<T>(columns: readonly Column<T>[], rows: readonly T[], view: TableView): string {
  const texts = rows.map((row) => columns.map((column) => fittedText(column, column.value(row), view.nowMs)))
  const natural = columns.map((column, index) => Math.max(displayWidth(column.heading), ...texts.map((cells) => displayWidth(cells[index] ?? ''))))
  const widths = fit(columns, natural, view.width)
  const line = (cells: readonly string[], paint: (text: string, index: number) => string) => {
    const padded = columns.map((column, index) => {
      const width = widths[index] ?? 0
      const text = truncate(cells[index] ?? '', width)
      const space = ' '.repeat(Math.max(0, width - displayWidth(text)))
      return column.kind === 'number' ? space + paint(text, index) : paint(text, index) + space
    })
    return `${padded.join(' '.repeat(gap)).trimEnd()}\n`
  }
  const heading = line(columns.map((column) => column.heading), (text) => view.paint('heading', text))
  return heading + texts.map((cells) => line(cells, (text, index) => (columns[index]?.kind === 'status' ? paintStatus(text, view.paint) : text))).join('')
}

function fittedText<T>(column: Column<T>, cell: Cell, nowMs: number): string {
  if (cell === null || cell === undefined || cell === '') return '–'
  if (typeof cell === 'boolean') return cell ? 'yes' : 'no'
  return column.kind === 'time' ? formatRelative(String(cell), nowMs) : toPrintable(String(cell))
}

// The widest column that may be cut gives way first, one step at a time, so that narrow ones stay whole.
function fit<T>(columns: readonly Column<T>[], natural: readonly number[], width: number): number[] {
  const widths = [...natural]
  let excess = widths.reduce((sum, columnWidth) => sum + columnWidth, gap * (columns.length - 1)) - width
  while (excess > 0) {
    let widest = -1
    for (const [index, column] of columns.entries()) {
      if (column.whole !== true && (widths[index] ?? 0) > narrowest && (widest === -1 || (widths[index] ?? 0) > (widths[widest] ?? 0))) widest = index
    }
    if (widest === -1) break
    widths[widest] = (widths[widest] ?? 0) - 1
    excess -= 1
  }
  return widths
}

const statusMeanings = {
  success: 'success', ok: 'success', running: 'name', verified: 'success', failed: 'failure', cancelled: 'warning', skipped: 'warning', unverified: 'warning', stopped: 'failure',
} as const

/** Colour for the words that every area uses for how a thing is. */
export function paintStatus(text: string, paint: Paint): string {
  const meaning = Object.entries(statusMeanings).find(([word]) => word === text)?.[1]
  return meaning === undefined ? text : paint(meaning, text)
}

/** `name: value` lines of one thing; the same rules as a table. */
export function renderFields(fields: readonly (readonly [string, Cell])[], view: TableView): string {
  if (!view.terminal) return fields.map(([name, cell]) => `${name}\t${tabbedCell(cell)}\n`).join('')
  const width = Math.max(...fields.map(([name]) => displayWidth(name)))
  return fields.map(([name, cell]) => `${view.paint('heading', name)}${' '.repeat(width - displayWidth(name) + gap)}${fittedText({heading: name, value: () => cell}, cell, view.nowMs)}\n`).join('')
}
