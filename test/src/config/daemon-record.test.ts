import {spawn} from 'node:child_process'
import {once} from 'node:events'
import {writeFile} from 'node:fs/promises'
import path from 'node:path'
import {expect, test} from 'vitest'
import {findDaemon, isAlive, readLocalToken} from '../../../src/config/daemon-record.js'
import {temporaryFolder} from '../../daemon/start-test-daemon.js'

async function homeWith(text: string): Promise<string> {
  const home = await temporaryFolder()
  await writeFile(path.join(home, 'daemon.json'), text)
  return home
}

async function deadProcess(): Promise<number> {
  const child = spawn(process.execPath, ['-e', '0'])
  await once(child, 'exit')
  return child.pid ?? 0
}

const record = {url: 'http://127.0.0.1:4400', version: '1.0.0', startedAt: '2030-01-01T00:00:00.000Z'}

test('the daemon of a home is the one whose process lives', async () => {
  const home = await homeWith(JSON.stringify({pid: process.pid, ...record}))
  expect(await findDaemon(home)).toEqual({pid: process.pid, ...record})
})

test('a record that a killed daemon left is none', async () => {
  expect(await findDaemon(await homeWith(JSON.stringify({pid: await deadProcess(), ...record})))).toBeUndefined()
})

test.each(['', '{', '[]', '{"pid":"1"}', '{"pid":-1,"url":"http://x"}', '{"pid":1,"url":"x"}'])('a record that does not parse is none: %s', async (text) => {
  expect(await findDaemon(await homeWith(text))).toBeUndefined()
})

test('a home that is not there has no daemon and no token', async () => {
  const home = path.join(await temporaryFolder(), 'nowhere')
  expect(await findDaemon(home)).toBeUndefined()
  expect(await readLocalToken(home)).toEqual({denied: false})
})

test('the local token is read without its line ending', async () => {
  const home = await temporaryFolder()
  await writeFile(path.join(home, 'local-token'), 'moor_pat_a\n')
  expect(await readLocalToken(home)).toEqual({token: 'moor_pat_a', denied: false})
})

test('a process of another user is alive too', () => {
  expect(isAlive(1)).toBe(true)
})
