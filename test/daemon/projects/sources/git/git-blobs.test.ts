import {setImmediate as turn} from 'node:timers/promises'
import {expect, it, onTestFinished} from 'vitest'
import {GitBlobs} from '../../../../../daemon/projects/sources/git/git-blobs.js'
import {GitProgram} from '../../../../../daemon/projects/sources/git/git-program.js'
import {temporaryFolder} from '../../../start-test-daemon.js'
import {idle} from '../tar-entries.js'

it('a git that can not be started fails the reading and nothing else', async () => {
  const unheard: unknown[] = []
  const listen = (reason: unknown) => void unheard.push(reason)
  process.on('unhandledRejection', listen)
  onTestFinished(() => void process.off('unhandledRejection', listen))
  const home = await temporaryFolder()
  const blobs = new GitBlobs(new GitProgram({program: '/nowhere/git', home, surroundings: {}}), home, idle)
  await expect(blobs.read('a'.repeat(40)).next()).rejects.toMatchObject({code: 'SOURCE_UNAVAILABLE'})
  await turn()
  await expect(blobs.close()).rejects.toMatchObject({code: 'SOURCE_UNAVAILABLE', details: {reason: 'program'}})
  expect(unheard).toEqual([])
})
