import {randomBytes} from 'node:crypto'
import {chmod, mkdir, readdir, readFile, rm, stat, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import fc from 'fast-check'
import {describe, expect, test} from 'vitest'
import {loadInstanceKey, parseInstanceKey} from '../../../daemon/store/instance-key.js'
import {createSealer} from '../../../daemon/store/secrets.js'
import {note, Notes, openStore, withHome} from './store-fixture.js'

const key = (fill: number) => parseInstanceKey(Buffer.alloc(32, fill).toString('base64'), 'a test')
const sealerOf = (fill: number, ...older: number[]) => createSealer({current: key(fill), older: older.map(key)})

describe('the sealer', () => {
  test('opens what it sealed, whatever the text', () => {
    const sealer = sealerOf(1)
    fc.assert(fc.property(fc.string({unit: 'grapheme'}), fc.string(), (text, context) => sealer.open(sealer.seal(text, context), context) === text))
    const long = 'x%"\n'.repeat(16384)
    expect(sealer.open(sealer.seal(long, 'c'), 'c')).toBe(long)
  })

  test('never seals a text twice alike', () => {
    expect(sealerOf(1).seal('text', 'c')).not.toBe(sealerOf(1).seal('text', 'c'))
  })

  test('does not open a value in the place of another', () => {
    const sealed = sealerOf(1).seal('text', 'jobs/job_1/secrets.TOKEN')
    expect(() => sealerOf(1).open(sealed, 'jobs/job_2/secrets.TOKEN')).toThrow(/does not open/)
  })

  test('notices a change of any character', () => {
    const sealer = sealerOf(1)
    const sealed = sealer.seal('text', 'c')
    for (let at = 0; at < sealed.length; at++) {
      const other = sealed[at] === 'B' ? 'C' : 'B'
      const changed = sealed.slice(0, at) + other + sealed.slice(at + 1)
      // The last character of base64 holds spare bits: some of its changes change nothing.
      if (Buffer.from(changed.split('.').at(-1) ?? '', 'base64url').equals(Buffer.from(sealed.split('.').at(-1) ?? '', 'base64url')) && at > sealed.lastIndexOf('.')) continue
      if (Buffer.from(changed.split('.')[2] ?? '', 'base64url').equals(Buffer.from(sealed.split('.')[2] ?? '', 'base64url')) && at > sealed.indexOf('.', 3) && at < sealed.lastIndexOf('.')) continue
      expect(() => sealer.open(changed, 'c'), `character ${at}`).toThrow()
    }
  })

  test('opens with an older key, and wraps anew without it being needed later', () => {
    const sealed = sealerOf(1).seal('text', 'c')
    expect(sealerOf(2, 1).open(sealed, 'c')).toBe('text')
    const rewrapped = sealerOf(2, 1).rewrap(sealed)
    expect(sealerOf(2).open(rewrapped, 'c')).toBe('text')
    expect(sealerOf(2).rewrap(rewrapped)).toBe(rewrapped)
    expect(() => sealerOf(2).open(sealed, 'c')).toThrow(expect.objectContaining({code: 'CONFIGURATION'}))
  })

  test.each(['', 'plain text', 'v1.a.b', 'v1....', 'v2.a.b.c', 'v1.a.b.c.d'])('does not open %j', text => {
    expect(() => sealerOf(1).open(text, 'c')).toThrow()
  })

  test('keeps sealed values out of every file of the store', async () => {
    await withHome(async home => {
      const sealer = createSealer(await loadInstanceKey({home}))
      const {store} = await openStore(home, undefined, {segmentBytes: 1000})
      for (let number = 0; number < 20; number++) {
        const id = `n${number}`
        await store.transaction(t => t.insert(Notes, note(id, {title: sealer.seal('planted-value', `notes/${id}/title`)})))
      }
      await store.close()
      const names = await readdir(join(home, 'store'))
      expect(names).toContain('notes.jsonl')
      for (const name of names) {
        const content = await readFile(join(home, 'store', name), 'utf8')
        expect(content).not.toContain('planted-value')
        expect(content).not.toContain(Buffer.from('planted-value').toString('base64').slice(0, 16))
      }
      const again = await openStore(home)
      const found = await again.store.get(Notes, 'n7')
      expect(createSealer(await loadInstanceKey({home})).open(found?.title ?? '', 'notes/n7/title')).toBe('planted-value')
      await again.store.close()
    })
  })
})

describe('the instance key', () => {
  test('is made once, for its owner only', async () => {
    await withHome(async home => {
      const made = await Promise.all([loadInstanceKey({home}), loadInstanceKey({home}), loadInstanceKey({home})])
      expect(new Set(made.map(({current}) => current.id)).size).toBe(1)
      expect((await stat(join(home, 'secret.key'))).mode & 0o777).toBe(0o600)
      expect(await readdir(home)).toEqual(['secret.key'])
    })
  })

  test('is not made anew over data that another one sealed', async () => {
    await withHome(async home => {
      await loadInstanceKey({home})
      const {store} = await openStore(home)
      await store.close()
      await rm(join(home, 'secret.key'))
      await expect(loadInstanceKey({home})).rejects.toMatchObject({code: 'CONFIGURATION'})
      expect(await readdir(home)).not.toContain('secret.key')
    })
  })

  test('comes from the variable, else the credential, else the file', async () => {
    await withHome(async home => {
      const credentialsDirectory = join(home, 'credentials')
      await mkdir(credentialsDirectory)
      await writeFile(join(credentialsDirectory, 'secret.key'), `${Buffer.alloc(32, 2).toString('base64')}\n`)
      await writeFile(join(home, 'secret.key'), Buffer.alloc(32, 3).toString('hex'))
      const secretKey = Buffer.alloc(32, 1).toString('base64url')
      const all = await loadInstanceKey({home, secretKey, credentialsDirectory})
      expect([all.current, ...all.older].map(({bytes}) => bytes[0])).toEqual([1, 2, 3])
      expect((await loadInstanceKey({home, credentialsDirectory})).current.bytes[0]).toBe(2)
      expect((await loadInstanceKey({home})).current.bytes[0]).toBe(3)
    })
  })

  test('can be rotated by naming the new one before the old', async () => {
    await withHome(async home => {
      const [old, fresh] = [randomBytes(32).toString('base64'), randomBytes(32).toString('hex')]
      const sealed = createSealer(await loadInstanceKey({home, secretKey: old})).seal('text', 'c')
      expect(createSealer(await loadInstanceKey({home, secretKey: `${fresh}, ${old}`})).open(sealed, 'c')).toBe('text')
    })
  })

  test.each(['', 'short', Buffer.alloc(31).toString('base64'), `${Buffer.alloc(32).toString('hex')}0`])('refuses %j without showing it', async secretKey => {
    await withHome(async home => {
      const failure = await loadInstanceKey({home, secretKey}).catch((error: unknown) => error)
      expect(failure).toMatchObject({code: 'CONFIGURATION'})
      if (secretKey !== '') expect(String(failure)).not.toContain(secretKey)
    })
  })

  test('says which file can not be read', async () => {
    await withHome(async home => {
      await mkdir(join(home, 'secret.key'))
      await chmod(home, 0o700)
      await expect(loadInstanceKey({home})).rejects.toMatchObject({code: 'CONFIGURATION', message: expect.stringContaining('secret.key')})
    })
  })
})
