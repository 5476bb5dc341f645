import {readFile, stat} from 'node:fs/promises'
import path from 'node:path'
import {expect, it} from 'vitest'
import {removeAddress, writeAddress} from '../../daemon/address-file.js'
import {temporaryFolder} from './start-test-daemon.js'

const address = {pid: 4711, url: 'http://127.0.0.1:4400', version: '1.0.0', startedAt: '2031-03-04T05:06:07.000Z'}

async function modes(home: string): Promise<number[]> {
  const found = await Promise.all([home, path.join(home, 'daemon.json')].map((file) => stat(file)))
  return found.map((each) => each.mode & 0o777)
}

it('keeps the address of a daemon to its owner, and shows that of the whole machine to everybody without opening the home', async () => {
  const home = await temporaryFolder()
  await writeAddress(home, address, false)
  expect(await modes(home)).toEqual([0o700, 0o600])
  await writeAddress(home, address, true)
  expect(await modes(home)).toEqual([0o711, 0o644])
  expect(JSON.parse(await readFile(path.join(home, 'daemon.json'), 'utf8'))).toEqual(address)
})

it('removes only its own address', async () => {
  const home = await temporaryFolder()
  await writeAddress(home, address, false)
  await removeAddress(home, 4712)
  await stat(path.join(home, 'daemon.json'))
  await removeAddress(home, 4711)
  await expect(stat(path.join(home, 'daemon.json'))).rejects.toMatchObject({code: 'ENOENT'})
  await removeAddress(home, 4711)
})
