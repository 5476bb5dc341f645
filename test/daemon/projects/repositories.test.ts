import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import {gitServersMissing, startGitServers, type GitServers} from '../../lab/git-server.js'
import {freePort} from '../../lab/lab-ports.js'
import {startTestDaemon} from '../start-test-daemon.js'

async function projectOf(wish: object) {
  const {call} = await startTestDaemon()
  const {id} = (await call('POST', '/api/projects', {name: 'Shop', ...wish})).body.data
  return {git: () => call('GET', `/api/projects/${id}/git`), branches: () => call('GET', `/api/projects/${id}/branches`)}
}

it('a project without a repository says so: in its link with success false, for its branches as a failure', async () => {
  const {git, branches} = await projectOf({image: 'redis:8'})
  expect(await git()).toMatchObject({status: 200, body: {success: false, code: 'NO_REPOSITORY', error: 'Shop is not deployed from a repository'}})
  expect(await branches()).toMatchObject({status: 400, body: {code: 'NO_REPOSITORY'}})
})

it('an address that is none is told, and not taken for an empty repository', async () => {
  const {git, branches} = await projectOf({gitUrl: '/srv/shop'})
  expect((await git()).body).toMatchObject({success: true, url: null, commits: [], commits_error: expect.stringContaining('is no address of a repository')})
  expect(await branches()).toMatchObject({status: 502, body: {code: 'SOURCE_UNAVAILABLE', reason: 'address'}})
})

it('a host that nobody answers at is told, with what is known of the link all the same', async () => {
  const {git, branches} = await projectOf({gitUrl: `http://planted:secret@127.0.0.1:${await freePort()}/acme/shop.git`, gitBranch: 'release'})
  const {body} = await git()
  expect(body).toMatchObject({success: true, owner: 'acme', repo: 'shop', branch: 'release', commits: [], commits_error: expect.stringContaining('can not be reached')})
  expect(await branches()).toMatchObject({status: 502, body: {code: 'SOURCE_UNAVAILABLE', reason: 'unreachable'}})
  expect(JSON.stringify(body)).not.toContain('secret')
})

describe.skipIf(gitServersMissing() !== null)('the repository of a project', () => {
  let servers: GitServers
  beforeAll(async () => {
    servers = await startGitServers()
    const shop = await servers.repository('shop', [{message: 'Open the shop', files: {a: '1'}}, {message: 'Add a page\n\nWith a body', files: {b: 'ä'}}, {message: 'On the side', files: {c: '1'}, branch: 'feature/side'}])
    await shop.tag('v1', 'main~1')
    await servers.repository('empty')
  })
  afterAll(() => servers?.stop())

  it.each(['daemon', 'http'] as const)('shows its last commits and its branches, over the %s address', async (way) => {
    const url = {daemon: servers.daemonUrl('shop'), http: servers.httpUrl('shop')}[way]
    const {git, branches} = await projectOf({gitUrl: url, gitBranch: null})
    expect((await git()).body).toMatchObject({
      success: true, repo: 'shop', url, branch: null, provider: 'github', commits_error: null, auto_deploy: false, webhook_strategy: 'none', webhook_active: false, webhook_domain: null,
      available_strategies: [], verified_domains: [], installation_installed: false, default_rollback_strategy: 'git',
      commits: [{message: 'Add a page', sha: expect.stringMatching(/^[0-9a-f]{40}$/), author: expect.any(String), date: expect.stringMatching(/^2026-01-01T/)}, {message: 'Open the shop'}],
    })
    const {body} = await branches()
    expect(body).toMatchObject({success: true, data: [{name: 'feature/side', protected: false}, {name: 'main', sha: expect.stringMatching(/^[0-9a-f]{40}$/)}]})
    expect(body.data).toHaveLength(2)
  })

  it('takes its login along, and says when it is missing', async () => {
    const {user, password} = servers.credentials
    const signedIn = await projectOf({gitUrl: servers.privateUrl('shop').replace('://', `://${encodeURIComponent(user)}:${encodeURIComponent(password)}@`), gitBranch: 'feature/side'})
    expect((await signedIn.git()).body.commits.map(({message}: {message: string}) => message)).toEqual(['On the side', 'Add a page', 'Open the shop'])
    const anybody = await projectOf({gitUrl: servers.privateUrl('shop')})
    expect(await anybody.branches()).toMatchObject({status: 502, body: {reason: 'login'}})
  })

  it('tells a branch that is not there from a repository that holds nothing yet', async () => {
    const gone = await projectOf({gitUrl: servers.httpUrl('shop'), gitBranch: 'gone'})
    expect((await gone.git()).body.commits_error).toContain('has no branch gone; its default branch is main')
    const empty = await projectOf({gitUrl: servers.httpUrl('empty'), gitBranch: null})
    expect((await empty.git()).body).toMatchObject({commits: [], commits_error: null})
    expect((await empty.branches()).body).toEqual({success: true, data: []})
  })
})
