import {copyFile, cp, mkdir, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import {basename, join} from 'node:path'
import fc from 'fast-check'
import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import {Fault} from '../../src/contract/faults.js'
import {Counts, note, Notes, openStore, withHome} from '../daemon/store/store-fixture.js'

// One store with everything in it: snapshots, closed segments, an open one. Each test damages a copy.
let original: string
let files: {path: string; size: number}[]
const written = 220

beforeAll(async () => {
  original = await mkdtemp(join(tmpdir(), 'moorage-damage-'))
  const {store} = await openStore(original, undefined, {segmentBytes: 3000})
  for (let number = 0; number < written; number++) {
    await store.transaction(async transaction => {
      await transaction.insert(Notes, note(`n${number}`))
      if (number % 3 === 0) await transaction.insert(Counts, {id: `c${number}`, value: number})
    })
  }
  await store.close()
  const names = (await readdir(join(original, 'store'))).sort()
  files = await Promise.all(names.map(async name => ({path: name, size: (await stat(join(original, 'store', name))).size})))
})

afterAll(() => rm(original, {recursive: true, force: true}))

async function withCopy<T>(work: (folder: string, home: string) => Promise<T>): Promise<T> {
  return withHome(async home => {
    await cp(join(original, 'store'), join(home, 'store'), {recursive: true})
    return work(join(home, 'store'), home)
  })
}

const lastSegment = () => files.filter(({path}) => path.startsWith('journal-')).at(-1) ?? {path: '', size: 0}

/** Opens; answers the fault, or what was cut and how many transactions are there. What is there must be a beginning of what was written. */
async function open(home: string): Promise<{fault: Fault} | {tornBytes: number; transactions: number}> {
  try {
    const {store, report} = await openStore(home)
    const notes = await store.find(Notes, 'shelf', ['a'])
    const transactions = notes.length
    for (let number = 0; number < transactions; number++) {
      expect(await store.get(Notes, `n${number}`)).toEqual(note(`n${number}`))
      expect((await store.get(Counts, `c${number}`)) !== undefined).toBe(number % 3 === 0)
    }
    await store.close()
    return {tornBytes: report.tornBytes, transactions}
  } catch (error) {
    if (error instanceof Fault) return {fault: error}
    throw error
  }
}

describe('a damaged store', () => {
  test('is made of every kind of file', () => {
    expect(files.map(({path}) => path)).toEqual(expect.arrayContaining(['notes.jsonl', 'counts.jsonl']))
    expect(files.filter(({path}) => path.startsWith('journal-')).length).toBeGreaterThan(2)
  })

  test('is refused by file and offset, or reports what it cut, wherever a bit has changed', {timeout: 180_000}, async () => {
    const places = fc.tuple(fc.nat(), fc.double({min: 0, max: 1, noNaN: true, maxExcluded: true}), fc.nat(7))
    await fc.assert(
      fc.asyncProperty(places, async ([pick, share, bit]) => {
        const file = files[pick % files.length] ?? lastSegment()
        await withCopy(async (folder, home) => {
          const path = join(folder, file.path)
          const bytes = await readFile(path)
          const at = Math.floor(share * bytes.length)
          bytes[at] = (bytes[at] ?? 0) ^ (1 << bit)
          await writeFile(path, bytes)
          const result = await open(home)
          if ('fault' in result) {
            expect(result.fault).toMatchObject({code: 'STORE_DAMAGED', suggestions: ['daemon repair']})
            expect(result.fault.message).toContain(file.path)
            expect(result.fault.message).toMatch(/byte \d+/)
            // Nothing was touched: a repair finds it as it was.
            expect(await readFile(path)).toEqual(bytes)
          } else {
            expect(file.path).toBe(lastSegment().path)
            expect(result.tornBytes).toBeGreaterThan(0)
            expect(result.transactions).toBe(written - 1)
          }
        })
      }),
      {numRuns: 200},
    )
  })

  test('is cut where a write was interrupted, at every length of the last line', {timeout: 180_000}, async () => {
    const bytes = await readFile(join(original, 'store', lastSegment().path))
    const lastLine = bytes.lastIndexOf(0x0a, bytes.length - 2) + 1
    for (let length = lastLine + 1; length < bytes.length; length += 7) {
      await withCopy(async (folder, home) => {
        await truncate(join(folder, lastSegment().path), length)
        expect(await open(home)).toEqual({tornBytes: length - lastLine, transactions: written - 1})
        expect((await stat(join(folder, lastSegment().path))).size).toBe(lastLine)
        expect(await open(home)).toEqual({tornBytes: 0, transactions: written - 1})
      })
    }
  })

  test('is cut where a loss of power left blocks of NUL at the end', async () => {
    await withCopy(async (folder, home) => {
      await writeFile(join(folder, lastSegment().path), Buffer.alloc(5000), {flag: 'a'})
      expect(await open(home)).toEqual({tornBytes: 5000, transactions: written})
    })
  })

  test.each(['notes.jsonl', 'counts.jsonl'])('is refused when %s is not there any more', async name => {
    await withCopy(async (folder, home) => {
      await rm(join(folder, name))
      expect(await open(home)).toMatchObject({fault: {code: 'STORE_DAMAGED', details: {file: join(folder, name)}}})
    })
  })

  test('is refused when one of its segments before the last is not there any more', async () => {
    for (const {path} of files.filter(({path: name}) => name.startsWith('journal-')).slice(0, -1)) {
      await withCopy(async (folder, home) => {
        await rm(join(folder, path))
        expect(await open(home), path).toMatchObject({fault: {code: 'STORE_DAMAGED'}})
      })
    }
  })

  test('is refused when all of its journal is gone', async () => {
    await withCopy(async (folder, home) => {
      for (const {path} of files) if (path.startsWith('journal-')) await rm(join(folder, path))
      expect(await open(home)).toMatchObject({fault: {code: 'STORE_DAMAGED'}})
    })
  })

  test('is refused when a snapshot stands in the place of another', async () => {
    await withCopy(async (folder, home) => {
      await copyFile(join(folder, 'notes.jsonl'), join(folder, 'counts.jsonl'))
      expect(await open(home)).toMatchObject({fault: {code: 'STORE_DAMAGED', details: {file: join(folder, 'counts.jsonl'), offset: 0}}})
    })
  })

  test('is refused when its journal was cut under a running store, whose later writes left a gap', async () => {
    await withHome(async home => {
      const {store} = await openStore(home)
      await store.transaction(transaction => transaction.insert(Notes, note('n1')))
      const [segment = ''] = (await readdir(join(home, 'store'))).filter(name => name.startsWith('journal-'))
      const path = join(home, 'store', segment)
      await truncate(path, (await stat(path)).size - 5)
      await store.transaction(transaction => transaction.insert(Notes, note('n2')))
      await store.close()
      await expect(openStore(home)).rejects.toMatchObject({code: 'STORE_DAMAGED', details: {file: path}})
    })
  })

  test('does not mind what a crash left of files that were being written', async () => {
    await withCopy(async (folder, home) => {
      await writeFile(join(folder, 'notes.jsonl.0123456789ab.tmp'), 'half a snap')
      await mkdir(join(folder, 'backup-2026-01-01'))
      expect(await open(home)).toEqual({tornBytes: 0, transactions: written})
      expect((await readdir(folder)).map(name => basename(name))).not.toContain('notes.jsonl.0123456789ab.tmp')
    })
  })
})
