import {describe, expect, test} from 'vitest'
import {createPaint} from '../../../src/cli/colour.js'
import {displayWidth} from '../../../src/cli/display-width.js'
import {renderFields, renderTable, type Column, type TableView} from '../../../src/cli/table.js'

interface Row {
  readonly id: string
  readonly label: string
  readonly count: number
  readonly at: string | null
}

const columns: Column<Row>[] = [
  {heading: 'ID', value: (row) => row.id, whole: true},
  {heading: 'LABEL', value: (row) => row.label},
  {heading: 'COUNT', value: (row) => row.count, kind: 'number'},
  {heading: 'AT', value: (row) => row.at, kind: 'time'},
]
const rows: Row[] = [
  {id: 'job_1', label: 'Nightly backup of everything', count: 7, at: '2030-01-01T00:00:00.000Z'},
  {id: 'job_22', label: '夜間バックアップ', count: 1234, at: null},
]
const nowMs = Date.parse('2030-01-01T00:05:00.000Z')
const onTerminal = (width: number): TableView => ({terminal: true, width, nowMs, paint: createPaint(false)})
const piped: TableView = {terminal: false, width: 20, nowMs, paint: createPaint(false)}

describe('a table on a terminal', () => {
  test('has a header, relative times and numbers on the right', () => {
    expect(renderTable(columns, rows, onTerminal(80)).split('\n')).toEqual([
      'ID      LABEL                         COUNT  AT',
      'job_1   Nightly backup of everything      7  5m ago',
      'job_22  夜間バックアップ               1234  –',
      '',
    ])
  })

  test.each([48, 40, 34])('fits %i columns and never cuts what has to be pasted', (width) => {
    const text = renderTable(columns, rows, onTerminal(width))
    for (const line of text.trimEnd().split('\n')) expect(displayWidth(line)).toBeLessThanOrEqual(width)
    expect(text).toContain('job_22')
    expect(text).toContain('…')
  })

  test('shows control characters instead of obeying them', () => {
    const text = renderTable(columns, [{id: 'x', label: 'a\u001B[2Jb\nc', count: 1, at: null}], onTerminal(80))
    expect(text).not.toContain('\u001B')
    expect(text).toContain('a\\x1b[2Jb ⏎ c')
  })

  test('colour does not change what stands where', () => {
    const painted = renderTable(columns, rows, {...onTerminal(80), paint: createPaint(true)})
    expect(painted).toContain('\u001B[1mLABEL')
    expect(painted.replace(/\u001B\[\d+m/g, '')).toBe(renderTable(columns, rows, onTerminal(80)))
  })
})

describe('a table off a terminal', () => {
  test('is tab-separated without header, whole, with ISO times', () => {
    expect(renderTable(columns, rows, piped)).toBe(
      'job_1\tNightly backup of everything\t7\t2030-01-01T00:00:00.000Z\njob_22\t夜間バックアップ\t1234\t\n',
    )
  })

  test('keeps one row a line, whatever a cell holds', () => {
    const text = renderTable(columns, [{id: 'a\tb', label: 'c\nd\\e', count: 0, at: null}], piped)
    expect(text).toBe('a\\tb\tc\\nd\\\\e\t0\t\n')
  })

  test('draws on no terminal that the pipe ends at', () => {
    expect(renderTable(columns, [{id: 'x', label: 'a\u001B[2Jb\u009B1m\u202Ec', count: 1, at: null}], piped)).toBe('x\ta\\x1b[2Jb\\x9b1m\\u202ec\t1\t\n')
  })
})

test('fields stand under each other on a terminal and are tab-separated elsewhere', () => {
  const fields = [['name', 'shop'], ['read only', true], ['ends', null]] as const
  expect(renderFields(fields, onTerminal(80))).toBe('name       shop\nread only  yes\nends       –\n')
  expect(renderFields(fields, piped)).toBe('name\tshop\nread only\ttrue\nends\t\n')
})
