import {readdir, readFile, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {beforeAll, describe, expect, it} from 'vitest'
import {gitServersMissing, startGitServers} from '../../../../lab/git-server.js'
import {makeKey} from '../../../../lab/lab-keys.js'
import {openSshMissing, startOpenSsh} from '../../../../lab/openssh.js'
import {sharedPart} from '../../../../lab/shared-part.js'
import {filesOf, gitFixture} from './git-fixture.js'

describe.skipIf(gitServersMissing() !== null || openSshMissing() !== null)('a repository over SSH', () => {
  const git = sharedPart(startGitServers)
  const lab = sharedPart(startOpenSsh)
  const ssh = sharedPart(() => git.overSsh(lab))
  const shop = sharedPart(() => git.repository('shop', [{message: 'one', files: {a: '1'}}, {message: 'two', files: {a: '2'}}, {message: 'three', files: {a: '3'}}]))
  let deployKey: string
  let strangerFile: string
  beforeAll(async () => {
    deployKey = lab.key
    strangerFile = join(lab.folder, 'stranger')
    await makeKey(strangerFile, 'ed25519', '')
  })
  const refused = (reason: string, message: RegExp) => ({code: 'SOURCE_UNAVAILABLE', details: expect.objectContaining({reason}), message: expect.stringMatching(message)})

  it('is fetched with the deploy key of the project, of which nothing is left behind', async () => {
    const {fetch, folder} = await gitFixture()
    const tree = await fetch({url: ssh.url('shop'), deployKey: deployKey.trimEnd()})
    expect(await filesOf(tree)).toEqual({a: '3'})
    expect(await readdir(join(folder, 'temporary'))).toEqual([])
    expect(await readFile(join(folder, 'known_hosts'), 'utf8')).toMatch(/^\[127\.0\.0\.\d+\]:\d+ ssh-/)
  })

  it('gives an earlier commit, full or short, also where it gives no single commits', async () => {
    const {fetch, lines} = await gitFixture()
    const [, second = '', first = ''] = (await shop.git('log', '--format=%H')).split('\n')
    expect(await filesOf(await fetch({url: ssh.url('shop'), deployKey, commitSha: first}))).toEqual({a: '1'})
    expect(lines.join('\n')).toContain('does not give the commit')
    expect(await filesOf(await fetch({url: ssh.url('shop'), deployKey, commitSha: second.slice(0, 9)}))).toEqual({a: '2'})
    await expect(fetch({url: ssh.url('shop'), deployKey, commitSha: '0123456789'.repeat(4)})).rejects.toMatchObject(refused('commit', /is on no branch/))
  })

  it('says that the key is missing, wrong, or no key at all', async () => {
    const {fetch, folder} = await gitFixture()
    await expect(fetch({url: ssh.url('shop')})).rejects.toMatchObject({...refused('login', /asks for a deploy key, and the project has none/), suggestions: ['api POST /api/projects/proj_1/deploy-key']})
    const stranger = await readFile(strangerFile, 'utf8')
    await expect(fetch({url: ssh.url('shop'), deployKey: stranger})).rejects.toMatchObject(refused('login', /does not accept the deploy key/))
    await expect(fetch({url: ssh.url('shop'), deployKey: 'rubbish'})).rejects.toMatchObject(refused('login', /does not accept the deploy key/))
    expect(await readdir(join(folder, 'temporary'))).toEqual([])
  })

  it('says that there is no such repository', async () => {
    const {fetch} = await gitFixture()
    await expect(fetch({url: ssh.url('nothing'), deployKey})).rejects.toMatchObject(refused('repository', /has no such repository/))
  })

  it('keeps to the first key of a host, and says when it has changed', async () => {
    const {fetch, folder} = await gitFixture()
    await fetch({url: ssh.url('shop'), deployKey})
    const known = join(folder, 'known_hosts')
    const [host = ''] = (await readFile(known, 'utf8')).split(' ')
    const other = (await readFile(`${strangerFile}.pub`, 'utf8')).split(' ').slice(0, 2).join(' ')
    await writeFile(known, `${host} ${other}\n`)
    await expect(fetch({url: ssh.url('shop'), deployKey})).rejects.toMatchObject(refused('host-key-changed', /another host key than at first; .*sources\/known_hosts/))
    expect(await readFile(known, 'utf8')).toBe(`${host} ${other}\n`)
    await writeFile(known, '')
    expect((await fetch({url: ssh.url('shop'), deployKey})).kind).toBe('git')
  })
})
