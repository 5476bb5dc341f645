import v8 from 'node:v8'
import vm from 'node:vm'
import fc from 'fast-check'
import {describe, expect, test} from 'vitest'
import {createMasker} from '../../../daemon/store/masker.js'

// What is kept is told apart from what nobody has collected yet.
v8.setFlagsFromString('--expose-gc')
const collectGarbage: () => void = vm.runInNewContext('gc')

/** The slow and obvious way: cover every place of every secret, make one mask of those that overlap. */
function maskWhole(text: string, secrets: readonly string[]): string {
  const matches: {start: number; end: number}[] = []
  for (const secret of secrets) {
    for (let start = text.indexOf(secret); start >= 0; start = text.indexOf(secret, start + 1)) matches.push({start, end: start + secret.length})
  }
  matches.sort((left, right) => left.start - right.start || right.end - left.end)
  const runs: {start: number; end: number}[] = []
  for (const {start, end} of matches) {
    const last = runs.at(-1)
    if (last !== undefined && start < last.end) last.end = Math.max(last.end, end)
    else runs.push({start, end})
  }
  let masked = ''
  let from = 0
  for (const {start, end} of runs) {
    masked += `${text.slice(from, start)}***`
    from = end
  }
  return masked + text.slice(from)
}

function cut(text: string, borders: readonly number[]): string[] {
  const sorted = [...new Set(borders.map(border => border % (text.length + 1)))].sort((left, right) => left - right)
  return [...sorted, text.length].map((end, index) => text.slice(sorted[index - 1] ?? 0, end))
}

// Few letters, so that secrets overlap, repeat and begin like one another.
const letters = (maximum: number) => fc.string({unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: maximum})
const cases = fc.record({
  secrets: fc.array(letters(5), {maxLength: 4}),
  text: letters(60),
  borders: fc.array(fc.nat(100), {maxLength: 8}),
})

describe('the masker', () => {
  test('gives what masking the whole would give, whatever the pieces', {timeout: 180_000}, () => {
    fc.assert(
      fc.property(cases, ({secrets, text, borders}) => {
        const masker = createMasker(secrets.map(secret => Buffer.from(secret)))
        const masked = cut(text, borders).map(piece => masker.push(Buffer.from(piece)))
        masked.push(masker.flush())
        expect(Buffer.concat(masked.map(({bytes}) => bytes)).toString()).toBe(maskWhole(text, secrets))
        expect(masked.reduce((sum, {consumed}) => sum + consumed, 0)).toBe(text.length)
      }),
      {numRuns: 3000},
    )
  })

  test('can begin anew at every place it reports and gives the same', {timeout: 180_000}, () => {
    fc.assert(
      fc.property(cases, ({secrets, text, borders}) => {
        const bytes = secrets.map(secret => Buffer.from(secret))
        const masker = createMasker(bytes)
        let shown = ''
        let offset = 0
        for (const piece of cut(text, borders)) {
          const masked = masker.push(Buffer.from(piece))
          shown += masked.bytes.toString()
          offset += masked.consumed
          const again = createMasker(bytes)
          const rest = again.push(Buffer.from(text.slice(offset))).bytes.toString() + again.flush().bytes.toString()
          expect(shown + rest).toBe(maskWhole(text, secrets))
        }
      }),
      {numRuns: 3000},
    )
  })

  test('keeps back only what may be the start of a secret', () => {
    const masker = createMasker([Buffer.from('secret')])
    expect(masker.push(Buffer.from('all of this'))).toEqual({bytes: Buffer.from('all of thi'), consumed: 10})
    expect(masker.push(Buffer.from('ecret and sec'))).toEqual({bytes: Buffer.from('*** and '), consumed: 11})
    expect(masker.push(Buffer.from('ond'))).toEqual({bytes: Buffer.from('second'), consumed: 6})
    expect(masker.flush()).toEqual({bytes: Buffer.alloc(0), consumed: 0})
  })

  test('masks a secret of 64 KB that comes byte after byte among bytes that are not text', {timeout: 180_000}, () => {
    const secret = Buffer.from(Array.from({length: 65536}, (_, index) => (index * 7 + (index >> 8)) % 256))
    const masker = createMasker([secret])
    const parts: Buffer[] = []
    const source = Buffer.concat([Buffer.from([0, 255]), secret, Buffer.from([254, 0])])
    for (const byte of source) parts.push(masker.push(Buffer.from([byte])).bytes)
    parts.push(masker.flush().bytes)
    expect(Buffer.concat(parts)).toEqual(Buffer.concat([Buffer.from([0, 255]), Buffer.from('***'), Buffer.from([254, 0])]))
  })

  test('does not keep what overlapping secrets cover, however long they go on', {timeout: 180_000}, () => {
    const masker = createMasker([Buffer.from('aaaa')])
    const piece = Buffer.alloc(1024 * 1024, 'a')
    collectGarbage()
    const before = process.memoryUsage().arrayBuffers
    let consumed = 0
    for (let count = 0; count < 24; count++) consumed += masker.push(piece).consumed
    // The memory of buffers is given back beside the collection, later where the machine is busy.
    for (let turn = 0; turn < 50 && heldMore(before); turn++) collectGarbage()
    expect(heldMore(before)).toBe(false)
    const last = masker.flush()
    expect(last.bytes.toString()).toBe('***')
    expect(consumed + last.consumed).toBe(24 * 1024 * 1024)
  })

  test('passes everything on where there are no secrets', () => {
    const masker = createMasker([])
    expect(masker.push(Buffer.from('text'))).toEqual({bytes: Buffer.from('text'), consumed: 4})
  })
})

function heldMore(before: number): boolean {
  return process.memoryUsage().arrayBuffers - before >= 16 * 1024 * 1024
}
