import {execFile} from 'node:child_process'
import {mkdtemp, lstat, readFile, readlink, rm, writeFile} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {buffer} from 'node:stream/consumers'
import {promisify} from 'node:util'
import fc from 'fast-check'
import {extract, type Header} from 'tar-stream'
import {describe, expect, it, onTestFinished} from 'vitest'
import {tarHeader, type TarEntry} from '../../../src/tree/tar-header.js'
import {tarStream, type TarItem} from '../../../src/tree/tar-stream.js'

const run = promisify(execFile)
const changed = (item: TarItem) => new Error(`${item.path} changed`)

async function* pieces(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text)
}

function file(path: string, text: string, mode = 0o644): TarItem {
  return {path, type: 'file', mode, size: Buffer.byteLength(text), content: () => pieces(text)}
}
const other = (entry: Omit<TarEntry, 'size' | 'mode'>): TarItem => ({mode: 0o755, size: 0, content: () => pieces(), ...entry})

async function readBack(archive: Buffer): Promise<{header: Header; text: string}[]> {
  const found: {header: Header; text: string}[] = []
  const reader = extract()
  reader.end(archive)
  for await (const entry of reader) found.push({header: entry.header, text: (await buffer(entry)).toString()})
  return found
}

describe('a tar stream', () => {
  it('is read by tar, with modes, links and long names of any script', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'moorage-tar-'))
    onTestFinished(() => rm(folder, {recursive: true, force: true}))
    const long = `${'n'.repeat(120)}/${'ä ß'.repeat(30)}`
    const items = [other({path: 'empty', type: 'folder'}), file('run.sh', '#!/bin/sh\n', 0o755), file(long, 'long'), other({path: 'a link', type: 'link', target: `${'x/'.repeat(60)}é`}), file('none', '')]
    await writeFile(join(folder, 'a.tar'), await buffer(tarStream(items, changed)))
    await run('tar', ['--extract', '--file=a.tar'], {cwd: folder, env: {...process.env, LC_ALL: 'C.UTF-8'}})
    expect(await readFile(join(folder, long), 'utf8')).toBe('long')
    expect((await lstat(join(folder, 'run.sh'))).mode & 0o777).toBe(0o755)
    expect((await lstat(join(folder, 'run.sh'))).mtime.toISOString()).toBe('2000-01-01T00:00:00.000Z')
    expect((await lstat(join(folder, 'empty'))).isDirectory()).toBe(true)
    expect(await readlink(join(folder, 'a link'))).toBe(`${'x/'.repeat(60)}é`)
    expect(await readFile(join(folder, 'none'), 'utf8')).toBe('')
  })

  it('comes back as it was, whatever the names', async () => {
    const name = fc.string({unit: 'grapheme', minLength: 1, maxLength: 80}).filter((text) => !/[/\0\uD800-\uDFFF]/.test(text) && text.trim() !== '')
    const path = fc.array(name, {minLength: 1, maxLength: 3}).map((parts) => parts.join('/'))
    const item = fc.oneof(
      fc.tuple(path, fc.string({maxLength: 1500}), fc.constantFrom(0o644, 0o755, 0o600)).map(([to, text, mode]) => file(to, text, mode)),
      fc.tuple(path, path).map(([from, target]) => other({path: from, type: 'link', target})),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(item, {maxLength: 6}), async (items) => {
        const found = await readBack(await buffer(tarStream(items, changed)))
        const wanted = await Promise.all(items.map(async (each) => [each.path, each.mode, each.target ?? null, each.type === 'file' ? (await buffer(each.content())).toString() : '']))
        expect(found.map(({header, text}) => [header.name, header.mode, header.linkname ?? null, text])).toEqual(wanted)
      }),
      {numRuns: 150},
    )
  })

  it('holds sizes that its numbers have no room for', async () => {
    const archive = tarHeader({path: 'big', type: 'file', mode: 0o644, size: 9 * 1024 ** 3})
    const reader = extract()
    const header = new Promise<Header>((resolve) => reader.once('entry', resolve))
    reader.write(archive)
    expect((await header).size).toBe(9 * 1024 ** 3)
    reader.destroy()
  })

  it.each([['shorter', 'ab'], ['longer', 'abcdef']])('ends with an error where a file has become %s', async (_, text) => {
    const item: TarItem = {path: 'x', type: 'file', mode: 0o644, size: 4, content: () => pieces(text)}
    await expect(buffer(tarStream([item], changed))).rejects.toThrow('x changed')
  })

  it('reads no further than who takes it, and lets go of the source when nobody does', async () => {
    let given = 0
    let released = false
    async function* endless(): AsyncGenerator<TarItem> {
      try {
        for (;;) yield file(`f${(given += 1)}`, 'x'.repeat(1000))
      } finally {
        released = true
      }
    }
    const stream = tarStream(endless(), changed)
    await new Promise((resolve) => stream.once('readable', resolve))
    await new Promise((resolve) => setImmediate(resolve))
    expect(given).toBeLessThan(300)
    stream.destroy()
    await new Promise((resolve) => stream.once('close', resolve))
    expect(released).toBe(true)
  })

  it('gives the same bytes for the same items', async () => {
    const make = () => buffer(tarStream([file('a', '1'), file('b', '2')], changed))
    expect((await make()).equals(await make())).toBe(true)
  })
})
