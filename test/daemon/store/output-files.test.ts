import {appendFile, readdir, readFile, stat, truncate, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import fc from 'fast-check'
import {describe, expect, test} from 'vitest'
import {openOutputFiles} from '../../../daemon/store/output-files.js'
import type {OutputChunk, OutputLine, OutputLog} from '../../../daemon/store/output.js'
import {withHome} from './store-fixture.js'

const at = '2026-01-01T00:00:00.000Z'

function chunk(text: string | Buffer, over: Partial<OutputChunk> = {}): OutputChunk {
  return {serverId: 'srv_a', level: 'info', at, bytes: Buffer.from(text), sourceOffset: 0, source: '1/output', ...over}
}

async function linesOf(log: OutputLog, from: {cursor?: string; tail?: number} = {}): Promise<OutputLine[]> {
  const lines: OutputLine[] = []
  for await (const line of log.lines(from)) lines.push(line)
  return lines
}

const textsOf = async (log: OutputLog, from: {cursor?: string; tail?: number} = {}) => (await linesOf(log, from)).map(({line}) => line)

async function bytesOf(log: OutputLog, serverId?: string): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const bytes of log.bytes(serverId)) parts.push(bytes)
  return Buffer.concat(parts)
}

async function withLog<T>(work: (log: OutputLog, home: string) => Promise<T>): Promise<T> {
  return withHome(async home => {
    const outputs = openOutputFiles(home)
    try {
      return await work(await outputs.open('jrun_1'), home)
    } finally {
      await outputs.close()
    }
  })
}

async function pathOf(home: string): Promise<string> {
  const [shard = ''] = await readdir(join(home, 'output'))
  return join(home, 'output', shard, 'jrun_1.out')
}

describe('an output', () => {
  test('gives the bytes back as they came, of all servers or of one', async () => {
    await withLog(async log => {
      const odd = Buffer.from([0, 255, 13, 10, 0xc3])
      await log.append([chunk(odd), chunk('b\n', {serverId: 'srv_b'}), chunk('own\n', {serverId: null})])
      await log.append([chunk('more')])
      expect(await bytesOf(log)).toEqual(Buffer.concat([odd, Buffer.from('b\nown\nmore')]))
      expect(await bytesOf(log, 'srv_a')).toEqual(Buffer.concat([odd, Buffer.from('more')]))
      expect(log.sizeBytes()).toBe(15)
      expect(log.sizeBytes('srv_b')).toBe(2)
      expect(log.sizeBytes('srv_c')).toBe(0)
    })
  })

  test('splits lines, names their server, level and time, and repairs what is no UTF-8', async () => {
    await withLog(async log => {
      await log.append([chunk('one\ntwo\r\n\n'), chunk(Buffer.from([0x61, 0xff, 0x0a]), {serverId: 'srv_b', level: 'warn'})])
      const lines = await linesOf(log)
      expect(lines.map(({line}) => line)).toEqual(['one', 'two\r', '', 'a\ufffd'])
      expect(lines[3]).toMatchObject({serverId: 'srv_b', level: 'warn', at, partial: false})
    })
  })

  test('never mixes the lines of sources that come in between', async () => {
    await withLog(async log => {
      await log.append([chunk('begun by a'), chunk('b\n', {serverId: 'srv_b'}), chunk(' ended by a\n')])
      const lines = await linesOf(log)
      expect(lines.map(({line, partial}) => [line, partial])).toEqual([['begun by a', true], ['b', false], [' ended by a', false]])
    })
  })

  test('keeps a character whole that two chunks of a source share', async () => {
    await withLog(async log => {
      const bytes = Buffer.from('x€😀y')
      for (const byte of bytes) await log.append([chunk(Buffer.from([byte])), chunk('-', {serverId: 'srv_b'})])
      const own = (await linesOf(log)).filter(({serverId}) => serverId === 'srv_a')
      expect(own.map(({line}) => line).join('')).toBe('x€😀y')
    })
  })

  test('cuts lines after 32,768 characters and not inside of one', async () => {
    await withLog(async log => {
      await log.append([chunk(`${'a'.repeat(32_767)}😀${'b'.repeat(32_768)}\nshort\n${'c'.repeat(32_768)}\n`)])
      const lines = await linesOf(log)
      expect(lines.map(({line, partial}) => [line.length, partial])).toEqual([
        [32_767, true], [32_768, true], [2, false], [5, false], [32_768, false],
      ])
      expect(lines[1]?.line.startsWith('😀')).toBe(true)
    })
  })

  test('remembers where each source stands, also past a thousand chunks and a restart', async () => {
    await withHome(async home => {
      const first = openOutputFiles(home)
      const log = await first.open('jrun_1')
      await log.append([chunk('early\n', {serverId: null, source: 'own', sourceOffset: 6})])
      for (let count = 1; count <= 1000; count++) await log.append([chunk('12345\n', {sourceOffset: count * 7, serverId: `srv_${count % 3}`})])
      await first.close()
      const second = openOutputFiles(home)
      const again = await second.open('jrun_1')
      expect(again.sourceOffset('srv_1', '1/output')).toBe(7000)
      expect(again.sourceOffset('srv_2', '1/output')).toBe(998 * 7)
      expect(again.sourceOffset(null, 'own')).toBe(6)
      expect(again.sourceOffset('srv_1', '2/output')).toBe(0)
      expect(again.sizeBytes()).toBe(6006)
      expect(again.sizeBytes('srv_1')).toBe(334 * 6)
      await second.close()
    })
  })

  test('goes on from every cursor, and back from every tail', async () => {
    const pieces = fc.array(
      fc.record({text: fc.string({unit: fc.constantFrom('a', 'é', '\n', '\r', '😀'), minLength: 1, maxLength: 12}), server: fc.constantFrom('a', 'b')}),
      {minLength: 1, maxLength: 12},
    )
    await fc.assert(
      fc.asyncProperty(pieces, async chunks => {
        await withLog(async log => {
          for (const {text, server} of chunks) await log.append([chunk(text, {serverId: server})])
          const all = await linesOf(log)
          for (const [index, {cursor}] of all.entries()) expect(await linesOf(log, {cursor})).toEqual(all.slice(index + 1))
          for (let tail = 0; tail <= all.length + 1; tail++) expect(await linesOf(log, {tail})).toEqual(tail === 0 ? [] : all.slice(-tail))
          expect(await bytesOf(log)).toEqual(Buffer.from(chunks.map(({text}) => text).join('')))
        })
      }),
      {numRuns: 40},
    )
  })

  test.each(['', 'x', '-1.0', '1.0', '0.99', '5', '0.0.0', '999999.1', '99999999999999999999.1'])('refuses %j as a cursor', async cursor => {
    await withLog(async log => {
      await log.append([chunk('one\ntwo\n')])
      await expect(linesOf(log, {cursor})).rejects.toMatchObject({code: 'VALIDATION_ERROR', errors: [{path: '/last-event-id'}]})
      expect(await textsOf(log, {cursor: '0.0'})).toEqual(['one', 'two'])
      expect(await textsOf(log, {cursor: '0.2'})).toEqual([])
    })
  })

  test('ends a reading where the output ended when it began', async () => {
    await withLog(async log => {
      await log.append([chunk('one\n')])
      const seen: string[] = []
      for await (const {line} of log.lines({})) {
        seen.push(line)
        await log.append([chunk('later\n')])
      }
      expect(seen).toEqual(['one'])
    })
  })
})

describe('the summary of an output', () => {
  test('is all of it where there is little, without control characters but tabs, newlines and colours', async () => {
    await withLog(async log => {
      await log.append([chunk('a\0b\tc\x1b[31md\x07\x7f\r\ne'), chunk('other\n', {serverId: 'srv_b'})])
      expect(await log.summary(100)).toBe('ab\tc\x1b[31md\ne\nother\n')
    })
  })

  test('keeps the first and the last characters and says how much lies between', async () => {
    await withLog(async log => {
      for (let count = 0; count < 1000; count++) await log.append([chunk(`line ${String(count).padStart(4, '0')}\n`)])
      const summary = await log.summary(20)
      expect(summary).toBe('line 0000\nline 0001\n... 9960 bytes left out ...\nline 0998\nline 0999\n')
      expect(await log.summary(5000)).toBe((await bytesOf(log)).toString())
      expect((await log.summary(4999)).length).toBeGreaterThan(9998)
    })
  })

  test('holds no half of a surrogate pair', async () => {
    await withLog(async log => {
      await log.append([chunk('😀'.repeat(100))])
      for (const characters of [1, 2, 3, 4, 5]) expect(await log.summary(characters)).not.toMatch(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/)
    })
  })
})

describe('the files of outputs', () => {
  test('are kept to their owner', async () => {
    await withLog(async (log, home) => {
      await log.append([chunk('x')])
      const path = await pathOf(home)
      expect((await stat(path)).mode & 0o777).toBe(0o600)
      expect((await stat(join(path, '..'))).mode & 0o777).toBe(0o700)
      expect((await stat(join(home, 'output'))).mode & 0o777).toBe(0o700)
    })
  })

  test('lose a chunk that a crash interrupted, at whatever byte, and nothing else', async () => {
    await withHome(async home => {
      const outputs = openOutputFiles(home)
      const log = await outputs.open('jrun_1')
      await log.append([chunk('one\n', {sourceOffset: 4})])
      const path = await pathOf(home)
      const whole = (await stat(path)).size
      await log.append([chunk('two\n', {sourceOffset: 8})])
      await outputs.close()
      const bytes = await readFile(path)
      for (let length = whole; length < bytes.length; length++) {
        await writeFile(path, bytes.subarray(0, length))
        const found = await openOutputFiles(home).find('jrun_1')
        expect(found?.sourceOffset('srv_a', '1/output')).toBe(4)
        expect((await stat(path)).size).toBe(length)
        const again = openOutputFiles(home)
        const cut = await again.open('jrun_1')
        expect((await stat(path)).size).toBe(whole)
        await cut.append([chunk('new\n', {sourceOffset: 8})])
        expect(await textsOf(cut)).toEqual(['one', 'new'])
        await again.close()
      }
    })
  })

  test('are the same log while open, and go on to be read when released', async () => {
    await withHome(async home => {
      const outputs = openOutputFiles(home)
      const log = await outputs.open('jrun_1')
      expect(await outputs.open('jrun_1')).toBe(log)
      expect(await outputs.find('jrun_1')).toBe(log)
      await log.append([chunk('one\n')])
      await outputs.release('jrun_1')
      await outputs.release('jrun_1')
      expect(await textsOf(log)).toEqual(['one'])
      await expect(log.append([chunk('two\n')])).rejects.toMatchObject({code: 'INTERNAL'})
      const again = await outputs.open('jrun_1')
      await again.append([chunk('three\n')])
      expect(await textsOf(log)).toEqual(['one', 'three'])
      await outputs.close()
    })
  })

  test('are found only where there are any, and gone when removed', async () => {
    await withHome(async home => {
      const outputs = openOutputFiles(home)
      expect(await outputs.find('jrun_1')).toBeUndefined()
      await outputs.remove('jrun_1')
      await (await outputs.open('jrun_1')).append([chunk('x')])
      await outputs.remove('jrun_1')
      expect(await outputs.find('jrun_1')).toBeUndefined()
      await expect(outputs.open('../../etc/passwd')).rejects.toMatchObject({code: 'INTERNAL'})
      await outputs.close()
    })
  })

  test('name the place of damage and show nothing that is wrong', async () => {
    await withHome(async home => {
      const outputs = openOutputFiles(home)
      const log = await outputs.open('jrun_1')
      await log.append([chunk('one\n'), chunk('two\n'), chunk('three\n')])
      const path = await pathOf(home)
      const bytes = await readFile(path)
      bytes[bytes.indexOf('two')] = 0x54
      await writeFile(path, bytes)
      await expect(textsOf(log)).rejects.toMatchObject({code: 'STORE_DAMAGED', details: {file: path}})
      await truncate(path, 0)
      await appendFile(path, 'no record')
      expect(await textsOf((await openOutputFiles(home).find('jrun_1')) ?? log)).toEqual([])
      await outputs.close()
    })
  })

  test('take bounded memory to write, read and sum up, whatever their size', async () => {
    await withLog(async log => {
      const piece = Buffer.from(`${'x'.repeat(99)}\n`.repeat(10_000))
      for (let count = 0; count < 64; count++) await log.append([chunk(piece, {sourceOffset: count})])
      global.gc?.()
      const before = process.memoryUsage()
      let bytes = 0
      for await (const part of log.bytes()) bytes += part.length
      expect(bytes).toBe(64_000_000)
      expect((await log.summary(1000)).length).toBeLessThan(2100)
      expect(await textsOf(log, {tail: 3})).toHaveLength(3)
      expect(process.memoryUsage().arrayBuffers - before.arrayBuffers).toBeLessThan(48_000_000)
    })
  })
})
