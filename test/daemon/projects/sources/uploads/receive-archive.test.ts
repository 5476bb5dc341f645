import {execFileSync} from 'node:child_process'
import {createHash, randomBytes} from 'node:crypto'
import {lstatSync, readdirSync, readlinkSync, realpathSync} from 'node:fs'
import {mkdir, readdir, readFile, rm, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {buffer} from 'node:stream/consumers'
import {gzipSync} from 'node:zlib'
import fc from 'fast-check'
import {describe, expect, it} from 'vitest'
import {systemClock} from '../../../../../daemon/clock.js'
import {TreeIndex} from '../../../../../daemon/projects/sources/tree-index.js'
import {openArchive} from '../../../../../daemon/projects/sources/uploads/open-archive.js'
import {receiveArchive} from '../../../../../daemon/projects/sources/uploads/receive-archive.js'
import type {ArchiveLimits} from '../../../../../daemon/projects/sources/uploads/unpacked.js'
import {smallDiskMissing, withSmallDisk} from '../../../../faults/small-disk.js'
import {ManualClock} from '../../../manual-clock.js'
import {temporaryFolder} from '../../../start-test-daemon.js'
import {entriesOf, idle, packedText} from '../tar-entries.js'
import {gzipOf, inPieces, tarOf, type Entry} from './make-tar.js'

const limits: ArchiveLimits = {uploadBytes: 10_000_000, unpackedBytes: 20_000_000, entries: 2000, idleMs: 60_000}

async function receive(content: AsyncIterable<Uint8Array> | Buffer, changes: Partial<ArchiveLimits> = {}, home?: string) {
  const uploads = home ?? (await temporaryFolder())
  const folder = join(uploads, 'upl_1')
  const received = await receiveArchive(Buffer.isBuffer(content) ? inPieces(content) : content, {clock: systemClock, limits: {...limits, ...changes}, folder})
  return {received, folder, tree: await openArchive(folder, idle)}
}

/** That it is refused for a reason, and nothing of it stays. */
async function refuses(content: AsyncIterable<Uint8Array> | Buffer, fault: object, changes: Partial<ArchiveLimits> = {}): Promise<void> {
  const uploads = await temporaryFolder()
  await expect(receive(content, changes, uploads)).rejects.toMatchObject(fault)
  expect(await readdir(uploads)).toEqual([])
}
const reason = (name: string, message: RegExp = /./) => ({code: 'UPLOAD_REFUSED', details: expect.objectContaining({reason: name}), message: expect.stringMatching(message)})

describe('an uploaded archive', () => {
  it('is a tree of what is in it', async () => {
    const archive = await gzipOf([
      {name: './', type: 'directory'}, {name: './b/', type: 'directory', mode: 0o700}, {name: './b/run.sh', text: '#!/bin/sh\n', mode: 0o755}, {name: 'a.txt', text: 'a'}, {name: 'b/link', type: 'symlink', linkname: '../a.txt'},
      {name: 'hard', type: 'link', linkname: './a.txt'}, {name: 'empty', text: ''}, {name: 'deep/er/file', text: 'd'}, {name: '..keep', text: 'k'}, {name: 'ünï/ "q"', text: 'u'},
    ])
    const {received, tree} = await receive(archive)
    expect(received).toEqual({bytes: archive.length, files: 8})
    expect(tree).toMatchObject({kind: 'upload', commitSha: null, branch: null})
    expect(await tree.readText('b/link', 10)).toBe('a')
    const packed = await entriesOf(tree.pack('.', {dockerfile: 'Dockerfile', signal: idle}))
    expect(Object.fromEntries([...packed].map(([path, {holds}]) => [path, holds]))).toEqual({
      '..keep': 'k', 'a.txt': 'a', 'b': '/', 'b/link': '-> ../a.txt', 'b/run.sh': '#!/bin/sh\n', 'deep': '/', 'deep/er': '/', 'deep/er/file': 'd', 'empty': '', 'hard': 'a', 'ünï': '/', 'ünï/ "q"': 'u',
    })
    expect([packed.get('b/run.sh')?.mode, packed.get('b')?.mode, packed.get('a.txt')?.mode]).toEqual([0o755, 0o700, 0o644])
  })

  it('is refused where its names alone would fill the memory: they name every folder above them', async () => {
    await refuses(await gzipOf([{name: `${'a/'.repeat(300)}f`, text: ''}]), reason('path', /too long/))
    const deep = (index: number) => `${Array.from({length: 250}, (_, level) => `${index}-${level}-folder`.padEnd(15, 'x')).join('/')}/f`
    await refuses(await gzipOf(Array.from({length: 200}, (_, index) => ({name: deep(index), text: ''}))), reason('too-many', /the names in the archive/))
    const entries = Array.from({length: 200}, (_, index) => ({path: deep(index), type: 'file' as const, mode: 0o644, size: 0, contentId: ''}))
    expect(() => new TreeIndex(entries)).toThrow(/names of folders/)
  })

  it('is taken as tar makes it, in each of its formats', async () => {
    const folder = await temporaryFolder()
    const long = `${'n'.repeat(90)}/${'m'.repeat(90)}.txt`
    await mkdir(join(folder, 'in', 'n'.repeat(90)), {recursive: true})
    await writeFile(join(folder, 'in', long), 'long')
    await writeFile(join(folder, 'in', 'ä'), 'umlaut')
    const ids = new Set<string>()
    for (const format of ['gnu', 'pax', 'ustar']) {
      const words = ['--create', '--gzip', `--format=${format}`, '--directory', join(folder, 'in'), '--file', '-', '.']
      const {tree} = await receive(execFileSync('tar', words, {env: {...process.env, LC_ALL: 'C.UTF-8'}}))
      expect(await packedText(tree.pack('.', {dockerfile: 'x', signal: idle}))).toEqual({['n'.repeat(90)]: '/', [long]: 'long', 'ä': 'umlaut'})
      ids.add(tree.treeId)
    }
    expect(ids.size).toBe(1)
  })

  it('has an identity of what is in it alone', async () => {
    const idOf = async (entries: readonly Entry[]) => (await receive(await gzipOf(entries))).tree.treeId
    const id = await idOf([{name: 'a', text: '1', mtime: new Date(0)}, {name: 'b', text: '2', uid: 7}])
    expect(await idOf([{name: './b', text: '2', mtime: new Date(1e12)}, {name: 'a', text: '1'}])).toBe(id)
    expect(await idOf([{name: 'a', text: '1', mode: 0o755}, {name: 'b', text: '2'}])).not.toBe(id)
    expect(await idOf([{name: 'a', text: '2'}, {name: 'b', text: '1'}])).not.toBe(id)
  })

  it('loses setuid, setgid and sticky bits', async () => {
    const {tree} = await receive(await gzipOf([{name: 'su', text: 'x', mode: 0o6755}, {name: 'tmp', type: 'directory', mode: 0o1777}]))
    expect(await tree.has('su')).toBe('file')
    const packed = await entriesOf(tree.pack('.', {dockerfile: 'x', signal: idle}))
    expect([packed.get('su')?.mode, packed.get('tmp')?.mode]).toEqual([0o755, 0o777])
  })

  it.each<[string, Entry[], string]>([
    ['an absolute path', [{name: '/etc/cron.d/x', text: 'x'}], 'path'],
    ['a path that leads out', [{name: '../x', text: 'x'}], 'path'],
    ['.. in the middle of a path', [{name: 'a/../../x', text: 'x'}], 'path'],
    ['.. that stays inside', [{name: 'a/../b', text: 'x'}], 'path'],
    ['a folder that leads out', [{name: '../', type: 'directory'}], 'path'],
    ['a name that is too long', [{name: 'x'.repeat(300), text: 'x'}], 'path'],
    ['a file without a name', [{name: '.', text: 'x'}], 'path'],
    ['a link to an absolute path', [{name: 'l', type: 'symlink', linkname: '/etc/passwd'}], 'link'],
    ['a link that leads out', [{name: 'a/l', type: 'symlink', linkname: '../../x'}], 'link'],
    ['a link that leads out through another one', [{name: 'p/q/r', type: 'symlink', linkname: '../..'}, {name: 's', type: 'symlink', linkname: 'p/q/r/../x'}], 'link'],
    ['a link to nothing', [{name: 'l', type: 'symlink', linkname: ''}], 'link'],
    ['a hard link that leads out', [{name: 'l', type: 'link', linkname: '../../etc/passwd'}], 'path'],
    ['a hard link to an absolute path', [{name: 'l', type: 'link', linkname: '/etc/passwd'}], 'path'],
    ['a hard link to what is not there', [{name: 'l', type: 'link', linkname: 'x'}], 'link'],
    ['a hard link to a link', [{name: 's', type: 'symlink', linkname: 'x'}, {name: 'l', type: 'link', linkname: 's'}], 'link'],
    ['a hard link to itself', [{name: 'l', type: 'link', linkname: 'l'}], 'link'],
    ['a file below a link', [{name: 'd', type: 'symlink', linkname: 'x'}, {name: 'd/f', text: 'x'}], 'duplicate'],
    ['a file below a file', [{name: 'd', text: 'x'}, {name: 'd/f', text: 'x'}], 'duplicate'],
    ['a file in the place of a folder', [{name: 'd/f', text: 'x'}, {name: 'd', text: 'x'}], 'duplicate'],
    ['a link in the place of a folder', [{name: 'd/f', text: 'x'}, {name: 'd', type: 'symlink', linkname: 'x'}], 'duplicate'],
    ['a file that is there twice', [{name: 'a', text: '1'}, {name: './a', text: '2'}], 'duplicate'],
    ['a character device', [{name: 'null', type: 'character-device', devmajor: 1, devminor: 3}], 'kind'],
    ['a block device', [{name: 'sda', type: 'block-device', devmajor: 8, devminor: 0}], 'kind'],
    ['a pipe', [{name: 'p', type: 'fifo'}], 'kind'],
    ['a sparse file', [{name: 's', text: 'x', pax: {'GNU.sparse.major': '1', 'GNU.sparse.minor': '0', 'GNU.sparse.name': 'real'}}], 'kind'],
    ['nothing', [], 'empty'],
    ['nothing but its top', [{name: './', type: 'directory'}], 'empty'],
  ])('is refused with %s', async (_, entries, why) => {
    await refuses(await gzipOf([{name: 'first', text: 'good'}, ...entries].slice(why === 'empty' ? 1 : 0)), reason(why))
  })

  it('takes a folder twice, and links that go round and to what is not there', async () => {
    const {tree} = await receive(await gzipOf([
      {name: 'd', type: 'directory'}, {name: 'd/f', text: 'x'}, {name: 'd', type: 'directory'}, {name: 'loop', type: 'symlink', linkname: 'loop'}, {name: 'dangling', type: 'symlink', linkname: 'd/none'},
    ]))
    expect([await tree.has('loop'), await tree.has('dangling'), await tree.readText('d/f', 9)]).toEqual([undefined, undefined, 'x'])
  })

  it('is refused where it is too large as it is sent, unpacked, or by the count of its entries', async () => {
    const archive = await gzipOf([{name: 'noise', text: randomBytes(30_000).toString('base64')}])
    await refuses(archive, {code: 'PAYLOAD_TOO_LARGE', details: {limitBytes: 5000}}, {uploadBytes: 5000})
    expect((await receive(archive, {uploadBytes: archive.length})).received.bytes).toBe(archive.length)
    await refuses(await gzipOf([{name: 'zeros', text: '\0'.repeat(2_000_000)}]), reason('bomb', /larger than 1000000 bytes/), {unpackedBytes: 1_000_000})
    // Not only what becomes a file counts.
    await refuses(gzipSync(Buffer.concat([await tarOf([{name: 'a', text: 'a'}]), Buffer.alloc(3_000_000)])), reason('bomb'), {unpackedBytes: 1_000_000})
    await refuses(await gzipOf(Array.from({length: 50}, (_, index) => ({name: `f${index}`, text: ''}))), reason('too-many', /more than 49 entries/), {entries: 49})
  })

  it('is refused where it is cut off, damaged, or of another format', async () => {
    const archive = await gzipOf([{name: 'a', text: randomBytes(50_000).toString('hex')}])
    for (const length of [2, 20, 1000, archive.length - 1]) await refuses(archive.subarray(0, length), reason('truncated'))
    const damaged = Buffer.from(archive)
    damaged.fill(0xff, 500, 600)
    await refuses(damaged, reason('format'))
    await refuses(gzipSync(Buffer.from('x'.repeat(2000))), reason('format'))
    const tar = await tarOf([{name: 'a', text: 'x'.repeat(5000)}])
    await refuses(gzipSync(tar.subarray(0, 3000)), reason('format', /Unexpected end of data/))
    await refuses(tar, reason('format', /no gzip archive/))
    await refuses(Buffer.from('PK\u0003\u0004'), reason('format', /no gzip archive/))
    await refuses(Buffer.alloc(0), reason('empty', /nothing was sent/))
  })

  it('is refused at once where something in it is wrong, although more is still to come', async () => {
    const start = await gzipOf([{name: '../x', text: 'x'}])
    async function* neverEnding(): AsyncGenerator<Uint8Array> {
      yield start
      await new Promise(() => undefined)
    }
    await refuses(neverEnding(), reason('path'))
  })

  it('is refused where the caller hangs up or falls silent', async () => {
    const archive = await gzipOf([{name: 'a', text: randomBytes(50_000).toString('hex')}])
    async function* hangingUp(): AsyncGenerator<Uint8Array> {
      yield archive.subarray(0, 10_000)
      throw Object.assign(new Error('aborted'), {code: 'ECONNRESET'})
    }
    await refuses(hangingUp(), reason('interrupted', /connection ended/))
    const clock = new ManualClock(0)
    async function* silent(): AsyncGenerator<Uint8Array> {
      yield archive.subarray(0, 10_000)
      setImmediate(() => clock.advance(limits.idleMs))
      await new Promise(() => undefined)
    }
    const folder = join(await temporaryFolder(), 'upl_1')
    await expect(receiveArchive(silent(), {clock, limits, folder})).rejects.toMatchObject(reason('interrupted', /nothing has come for 60 s/))
    expect(clock.timers).toBe(0)
  })

  it('takes its bytes in pieces of any size', async () => {
    const archive = await gzipOf([{name: 'a', text: 'x'.repeat(700)}, {name: 'b', text: 'y'}])
    for (const size of [1, 2, 511, 512, 513, 100_000]) expect((await (await receive(inPieces(archive, size))).tree.readText('a', 1000))?.length).toBe(700)
  })

  it.skipIf(smallDiskMissing() !== undefined)('leaves nothing behind on a full disk, and says what it is', async () => {
    await withSmallDisk('2m', async ({folder}) => {
      const archive = await gzipOf([{name: 'noise', text: randomBytes(1_500_000).toString('hex')}])
      await expect(receive(archive, {}, folder)).rejects.toMatchObject({code: 'STORE_FULL', status: 507})
      expect(await readdir(folder)).toEqual([])
      expect((await receive(await gzipOf([{name: 'a', text: 'a'}]), {}, folder)).received.files).toBe(1)
    })
  })

  it('that is gone is said to be', async () => {
    const {folder, tree} = await receive(await gzipOf([{name: 'a', text: 'a'}]))
    await rm(folder, {recursive: true})
    await expect(openArchive(folder, idle)).rejects.toMatchObject({code: 'SOURCE_UNAVAILABLE', details: {reason: 'upload'}})
    await expect(buffer(tree.pack('.', {dockerfile: 'x', signal: idle}))).rejects.toMatchObject({code: 'ENOENT'})
  })
})

describe('any archive', () => {
  const name = fc.oneof(
    {weight: 6, arbitrary: fc.array(fc.constantFrom('a', 'b', 'c', 'd'), {minLength: 1, maxLength: 3}).map((parts) => parts.join('/'))},
    {weight: 1, arbitrary: fc.constantFrom('../a', '/a', 'a/../b', '.', './a', 'a//b', '', 'a/')},
  )
  const target = fc.array(fc.constantFrom('a', 'b', 'c', '..', '..', '.'), {minLength: 1, maxLength: 4}).map((parts) => parts.join('/'))
  const entry: fc.Arbitrary<Entry> = fc.oneof(
    {weight: 5, arbitrary: fc.record({name, text: fc.string({maxLength: 20}), mode: fc.integer({min: 0, max: 0o7777})})},
    {weight: 2, arbitrary: fc.record({name, type: fc.constant('directory' as const)})},
    {weight: 3, arbitrary: fc.record({name, type: fc.constant('symlink' as const), linkname: fc.oneof(target, fc.constant('/etc/passwd'))})},
    {weight: 2, arbitrary: fc.record({name, type: fc.constant('link' as const), linkname: fc.oneof(name, target)})},
    {weight: 1, arbitrary: fc.record({name, type: fc.constantFrom('fifo' as const, 'character-device' as const)})},
  )

  /** Everything below a folder, links not followed. */
  function walk(folder: string): string[] {
    return readdirSync(folder, {withFileTypes: true}).flatMap((each) => [join(folder, each.name), ...(each.isDirectory() ? walk(join(folder, each.name)) : [])])
  }

  it('is refused, or unpacks to nothing that leads out', async () => {
    let taken = 0
    await fc.assert(
      fc.asyncProperty(fc.array(entry, {maxLength: 6}), async (entries) => {
        const home = realpathSync(await temporaryFolder())
        const before = await gzipOf(entries).catch(() => undefined)
        if (before === undefined) return
        let tree
        try {
          tree = (await receive(before, {}, home)).tree
        } catch (error) {
          expect(error).toMatchObject({code: 'UPLOAD_REFUSED'})
          expect(readdirSync(home)).toEqual([])
          return
        }
        taken += 1
        const out = join(home, 'out')
        await mkdir(out)
        await writeFile(join(home, 'a.tar'), await buffer(tree.pack('.', {dockerfile: 'x', signal: idle})))
        execFileSync('tar', ['--extract', '--file', join(home, 'a.tar'), '--directory', out], {stdio: ['ignore', 'ignore', 'inherit']})
        for (const place of walk(out)) {
          const stats = lstatSync(place)
          expect(stats.mode & 0o7000).toBe(0)
          expect(stats.isFile() || stats.isDirectory() || stats.isSymbolicLink()).toBe(true)
          if (!stats.isSymbolicLink()) continue
          expect(readlinkSync(place)).not.toMatch(/^\//)
          expect(`${realEnd(place)}/`).toMatch(new RegExp(`^${out}/`))
        }
      }),
      {numRuns: 300},
    )
    expect(taken).toBeGreaterThan(20)
  })

  // Of a link that leads to what is not there only the part that is.
  function realEnd(place: string): string {
    try {
      return realpathSync.native(place)
    } catch {
      return realpathSync.native(join(place, '..'))
    }
  }

  it('that was cut or changed anywhere never brings more than a refusal', async () => {
    const archive = await gzipOf([{name: 'a', text: 'some text'}, {name: 'd/b', text: 'more'}, {name: 'l', type: 'symlink', linkname: 'a'}])
    const digest = createHash('sha256').update(archive).digest('hex')
    await fc.assert(
      fc.asyncProperty(fc.nat({max: archive.length - 1}), fc.integer({min: 1, max: 255}), fc.boolean(), async (at, change, cuts) => {
        const bytes = Buffer.from(archive)
        bytes[at] = (bytes[at] ?? 0) ^ change
        await receive(cuts ? archive.subarray(0, at) : bytes).then(
          // A change of the time or the system in the header of gzip changes nothing.
          ({received}) => expect(received.files).toBe(3),
          (error: unknown) => expect(error).toMatchObject({code: 'UPLOAD_REFUSED'}),
        )
      }),
      {numRuns: 200},
    )
    expect(createHash('sha256').update(archive).digest('hex')).toBe(digest)
    expect(await readFile('/etc/hostname', 'utf8')).toBeTruthy()
  })
})
