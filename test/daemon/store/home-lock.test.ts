import {spawn} from 'node:child_process'
import {createHash} from 'node:crypto'
import {once} from 'node:events'
import {readdir, readFile, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {describe, expect, test} from 'vitest'
import {lockHome} from '../../../daemon/store/home-lock.js'
import {openStore, withHome} from './store-fixture.js'

const readOwner = async (home: string) => JSON.parse(await readFile(join(home, 'daemon.lock'), 'utf8')) as Record<string, unknown>
const plant = (home: string, owner: object) => writeFile(join(home, 'daemon.lock'), JSON.stringify(owner))

describe('a home', () => {
  test('is used by one at a time, and the second is told by whom', async () => {
    await withHome(async home => {
      const {store} = await openStore(home)
      await expect(openStore(home)).rejects.toMatchObject({
        code: 'HOME_IN_USE',
        message: `another daemon (pid ${process.pid}) uses ${home}`,
        details: {pid: process.pid, home},
      })
      await writeFile(join(home, 'daemon.json'), JSON.stringify({pid: 1, url: 'http://127.0.0.1:4400'}))
      await expect(openStore(home)).rejects.toMatchObject({message: `another daemon (pid ${process.pid}, http://127.0.0.1:4400) uses ${home}`})
      await store.close()
      const again = await openStore(home)
      await again.store.close()
      expect(await readdir(home)).not.toContain('daemon.lock')
    })
  })

  test('is taken over from a process that is gone, and from one that has its pid now', async () => {
    await withHome(async home => {
      const lock = await lockHome(home)
      const own = await readOwner(home)
      await lock.release()
      const child = spawn(process.execPath, ['-e', ''])
      await once(child, 'exit')
      for (const stale of [{...own, pid: child.pid}, {...own, startedAt: '1'}, {...own, boot: 'another boot'}, 'no owner at all', {}]) {
        await plant(home, Object(stale) as object)
        const taken = await lockHome(home)
        expect(await readOwner(home)).toMatchObject({pid: process.pid})
        await expect(lockHome(home)).rejects.toMatchObject({code: 'HOME_IN_USE'})
        await taken.release()
        expect(await readdir(home)).toEqual([])
      }
    })
  })

  test('goes to one of many that find a dead owner at once', async () => {
    await withHome(async home => {
      for (let round = 0; round < 20; round++) {
        await plant(home, {pid: 1, startedAt: 'never', boot: 'another boot', nonce: String(round)})
        const results = await Promise.allSettled(Array.from({length: 12}, () => lockHome(home)))
        const won = results.flatMap(result => (result.status === 'fulfilled' ? [result.value] : []))
        expect(won).toHaveLength(1)
        for (const result of results) if (result.status === 'rejected') expect(result.reason).toMatchObject({code: 'HOME_IN_USE'})
        await won[0]?.release()
        expect(await readdir(home)).toEqual([])
      }
    })
  })

  test('is taken over from one that died while it took over from another', async () => {
    await withHome(async home => {
      const dead = (nonce: string) => JSON.stringify({pid: 1, startedAt: 'never', boot: 'another boot', nonce})
      await writeFile(join(home, 'daemon.lock'), dead('first'))
      const claim = `daemon.lock.after-${createHash('sha256').update(dead('first')).digest('hex').slice(0, 24)}`
      await writeFile(join(home, claim), dead('second'))
      const lock = await lockHome(home)
      expect(await readdir(home)).toEqual(['daemon.lock'])
      await lock.release()
    })
  })
})
