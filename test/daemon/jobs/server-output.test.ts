import {expect, it} from 'vitest'
import {createStreamMaskers} from '../../../daemon/jobs/mask-stream.js'
import {LineCutter, type MaskedPiece} from '../../../daemon/jobs/line-cutter.js'
import {keptTailBytes, ServerOutput, type SourcePiece} from '../../../daemon/jobs/server-output.js'

const at = '2026-01-01T00:00:00.000Z'

function exact(text: string, sourceOffset: number): MaskedPiece {
  return {bytes: Buffer.from(text), sourceOffset, exact: true}
}

function piece(text: string, sourceOffset: number, isExact = true): SourcePiece {
  return {bytes: Buffer.from(text), sourceOffset, exact: isExact, source: '1/output', level: 'info'}
}

const textOf = (chunks: readonly {bytes: Buffer}[]) => Buffer.concat(chunks.map((chunk) => chunk.bytes)).toString()

it('cuts whole lines and knows where each ends in its source', () => {
  const lines = new LineCutter(1000)
  expect(lines.take(exact('one\ntw', 6)).map((line) => [line.bytes.toString(), line.sourceOffset])).toEqual([['one\n', 4]])
  expect(lines.take(exact('o\nthree', 13)).map((line) => [line.bytes.toString(), line.sourceOffset])).toEqual([['two\n', 8]])
  expect(lines.flush().map((line) => [line.bytes.toString(), line.sourceOffset])).toEqual([['three', 13]])
})

it('gives out a line that does not end in pieces', () => {
  const lines = new LineCutter(4)
  expect(lines.take(exact('abcdefghij', 10)).map((line) => [line.bytes.toString(), line.sourceOffset])).toEqual([['abcd', 4], ['efgh', 8]])
  expect(textOf(lines.flush())).toBe('ij')
})

it('masks a secret across the borders of pieces, and says how far the source is settled', () => {
  const masker = createStreamMaskers(['hunter22', 'abc'])(100)
  const lines = new LineCutter(1000)
  const seen = [...masker.push(Buffer.from('pass hun')), ...masker.push(Buffer.from('ter22 abc\nnext'))].flatMap((masked) => lines.take(masked))
  expect(textOf(seen)).toBe('pass *** abc\n')
  expect(seen.at(-1)?.sourceOffset).toBe(100 + 'pass hunter22 abc\n'.length)
})

it('keeps the first bytes up to the limit, exactly, and the last ones with the count of what is missing', () => {
  const output = new ServerOutput({serverId: 'srv_a', limitBytes: 10, storedBytes: 0})
  const stored = [...output.take([piece('0123456\n', 8)], at), ...output.take([piece('89abc\n', 14)], at)]
  expect(textOf(stored)).toBe('0123456\n89')
  expect(stored.at(-1)?.sourceOffset).toBe(10)
  expect(output.take([piece('x'.repeat(keptTailBytes), 14 + keptTailBytes)], at)).toEqual([])
  const end = output.finish(7, at)
  expect(textOf(end)).toBe(`\n… ${4 + 7} bytes were not kept …\n${'x'.repeat(keptTailBytes)}`)
  expect(end.at(-1)?.sourceOffset).toBe(14 + keptTailBytes)
})

it('says nothing of missing bytes where none are', () => {
  const output = new ServerOutput({serverId: 'srv_a', limitBytes: 4, storedBytes: 4})
  expect(output.take([piece('tail\n', 9)], at)).toEqual([])
  expect(textOf(output.finish(0, at))).toBe('tail\n')
})

it('does not cut where something was masked: such a piece belongs to the end as a whole', () => {
  const output = new ServerOutput({serverId: 'srv_a', limitBytes: 6, storedBytes: 0})
  expect(output.take([piece('key *** here\n', 40, false)], at)).toEqual([])
  expect(textOf(output.finish(0, at))).toBe('key *** here\n')
})

it('puts nothing before what was left out by the server itself', () => {
  const output = new ServerOutput({serverId: 'srv_a', limitBytes: 1000, storedBytes: 0})
  expect(textOf(output.take([piece('head\n', 5)], at))).toBe('head\n')
  output.passLimit()
  expect(output.take([piece('tail\n', 10)], at)).toEqual([])
  expect(textOf(output.finish(99, at))).toBe('… 99 bytes were not kept …\ntail\n')
  expect(output.finish(99, at)).toEqual([])
})

it('begins a line of its own where the output stopped in the middle of one', () => {
  const output = new ServerOutput({serverId: 'srv_a', limitBytes: 1000, storedBytes: 0})
  output.take([piece('no newline', 10)], at)
  expect(output.note('── retry 2/3 ──', 'retry', 2, at)).toMatchObject({sourceOffset: 2, source: 'retry', bytes: Buffer.from('\n── retry 2/3 ──\n')})
})

it('holds no more than the kept end, however much comes', () => {
  const output = new ServerOutput({serverId: 'srv_a', limitBytes: 0, storedBytes: 0})
  const chunk = 'y'.repeat(50_000)
  for (let index = 1; index <= 100; index += 1) output.take([piece(chunk, index * chunk.length)], at)
  const end = output.finish(0, at)
  const note = `… ${100 * chunk.length - keptTailBytes} bytes were not kept …\n`
  expect(textOf(end).slice(0, note.length)).toBe(note)
  expect(Buffer.from(textOf(end)).length).toBe(Buffer.byteLength(note) + keptTailBytes)
})
