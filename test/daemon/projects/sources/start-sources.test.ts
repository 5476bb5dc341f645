import {mkdir, readdir, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {beforeAll, describe, expect, it, onTestFinished} from 'vitest'
import {systemClock} from '../../../../daemon/clock.js'
import {collections} from '../../../../daemon/collections.js'
import {createRecordEvent} from '../../../../daemon/events/event-log.js'
import {gitSurroundings, startSources} from '../../../../daemon/projects/sources/start-sources.js'
import {gitServersMissing, startGitServers} from '../../../lab/git-server.js'
import {sharedPart} from '../../../lab/shared-part.js'
import {openStore, recordingLog} from '../../store/store-fixture.js'
import {temporaryFolder} from '../../start-test-daemon.js'
import {idle} from './tar-entries.js'

async function start(environment: Readonly<Record<string, string>> = {}, mode: 'selfhosted' | 'cloud' = 'selfhosted') {
  const home = join(await temporaryFolder(), 'home')
  await mkdir(home)
  const {store} = await openStore(home, collections)
  const settings = {home, mode, publicUrl: undefined, uploadLimitBytes: 1_000_000}
  const {sources, stop} = await startSources({store, clock: systemClock, log: recordingLog(), recordEvent: createRecordEvent(systemClock), settings, environment})
  onTestFinished(async () => {
    await stop()
    await store.close()
  })
  return {home, sources}
}

describe('what git sees of the daemon', () => {
  it('is the path, the proxies and the certificates of the machine, and nothing else', () => {
    const environment = {PATH: '/bin', HOME: '/root', https_proxy: 'http://p:1', NO_PROXY: 'x', SSL_CERT_FILE: '/c', GIT_CONFIG_COUNT: '1', GIT_SSH_COMMAND: 'evil', GIT_ASKPASS: 'evil', SSH_AUTH_SOCK: '/s', MOORAGE_SECRET_KEY: 'k', GIT_DIR: '/g'}
    expect(gitSurroundings(environment)).toEqual({PATH: '/bin', https_proxy: 'http://p:1', NO_PROXY: 'x', SSL_CERT_FILE: '/c'})
    expect(gitSurroundings({}).PATH).toContain('/usr/bin')
  })

  describe.skipIf(gitServersMissing() !== null)('in a fetch', () => {
    const git = sharedPart(startGitServers)
    beforeAll(async () => {
      await git.repository('shop', [{message: 'one', files: {a: '1'}}])
    })
    const request = (url: string) => ({projectId: 'proj_1', access: {url, deployKey: null, username: null, password: null}, branch: null, commitSha: null, submodules: false, signal: idle, onLine: () => undefined})

    it('leaves out what the user of the daemon has set up', async () => {
      const other = await temporaryFolder()
      await writeFile(join(other, '.gitconfig'), '[url "http://127.0.0.1:1/"]\n\tinsteadOf = http://\n[credential]\n\thelper = "!touch ran; false"\n')
      const {sources, home} = await start({PATH: process.env['PATH'] ?? '', HOME: other, XDG_CONFIG_HOME: other, GIT_CONFIG_GLOBAL: join(other, '.gitconfig'), GIT_DIR: other})
      const tree = await sources.fetchGit(request(git.httpUrl('shop')))
      expect(await tree.readText('a', 10)).toBe('1')
      await expect(sources.fetchGit(request(git.privateUrl('shop')))).rejects.toMatchObject({details: {reason: 'login'}})
      expect(await readdir(join(home, 'sources', 'home'))).toEqual([])
      await sources.forget('proj_1')
      expect(await readdir(join(home, 'sources', 'mirrors'))).toEqual([])
    })
  })
})

it('folders of the machine are there on an instance of one\'s own, and not in the cloud', async () => {
  const folder = await temporaryFolder()
  await writeFile(join(folder, 'a'), '1')
  expect(await (await (await start()).sources.openFolder(folder, idle)).readText('a', 10)).toBe('1')
  await expect((await start({}, 'cloud')).sources.openFolder(folder, idle)).rejects.toMatchObject({details: {reason: 'folder'}})
  const {sources, home} = await start()
  await expect(sources.openFolder(join(home, 'sources'), idle)).rejects.toMatchObject({details: {reason: 'folder'}})
})
