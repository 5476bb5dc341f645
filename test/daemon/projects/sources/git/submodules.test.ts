import {execFileSync} from 'node:child_process'
import {createServer} from 'node:http'
import {describe, expect, it, onTestFinished} from 'vitest'
import {gitServersMissing, startGitServers} from '../../../../lab/git-server.js'
import type {GitRepository} from '../../../../lab/git-repository.js'
import {sharedPart} from '../../../../lab/shared-part.js'
import {idle} from '../tar-entries.js'
import {filesOf, gitFixture} from './git-fixture.js'

interface Part {
  readonly path: string
  readonly url: string
  readonly commit: string
  readonly extra?: string
}

/** A commit with submodules on top of what is there, which only plumbing can make in a bare repository. */
async function addSubmodules(repository: GitRepository, parts: readonly Part[], modules = parts): Promise<string> {
  const text = modules.map(({path, url, extra = ''}, index) => `[submodule "name.${index} x"]\n\tpath = ${path}\n\turl = ${url}\n${extra}`).join('')
  const stream = [
    `commit refs/heads/main\ncommitter Lab <lab@example.test> 1800000000 +0000\ndata 4\nlink\nfrom ${await repository.head()}\n`,
    ...parts.map(({path, commit}) => `M 160000 ${commit} ${path}\n`), `M 100644 inline .gitmodules\ndata ${Buffer.byteLength(text)}\n${text}\n`, 'done\n',
  ]
  execFileSync('git', ['-C', repository.path, 'fast-import', '--quiet', '--done'], {input: stream.join(''), env: {PATH: '/usr/bin:/bin', HOME: '/nonexistent'}})
  return repository.head()
}

describe.skipIf(gitServersMissing() !== null)('submodules', () => {
  const git = sharedPart(startGitServers)
  const lib = sharedPart(() => git.repository('lib', [{message: 'one', files: {'lib.c': '1', '.dockerignore': '*.md\n', 'a.md': 'm'}}, {message: 'two', files: {'lib.c': '2'}}]))
  let count = 0
  const refused = (message: RegExp, details: object = {}) => ({code: 'SOURCE_UNAVAILABLE', details: expect.objectContaining({reason: 'submodule', ...details}), message: expect.stringMatching(message)})
  const makeTop = () => git.repository(`top${(count += 1)}`, [{message: 'one', files: {'top.c': 't'}}])
  const older = async () => (await lib.git('rev-parse', 'main~1')).trim()

  it('are part of the tree at the commits that are asked for, where the project wants them', async () => {
    const {fetch, lines} = await gitFixture()
    const top = await makeTop()
    await addSubmodules(top, [{path: 'deps/lib', url: '../lib.git', commit: await older()}])
    const url = git.httpUrl(top.name)
    const tree = await fetch({url, submodules: true})
    expect(await filesOf(tree)).toMatchObject({'top.c': 't', 'deps/lib': '/', 'deps/lib/lib.c': '1', 'deps/lib/a.md': 'm'})
    expect(await filesOf(tree, 'deps/lib')).toEqual({'.dockerignore': '*.md\n', 'lib.c': '1'})
    expect(await tree.readText('deps/lib/lib.c', 10)).toBe('1')
    const without = await fetch({url, submodules: false})
    expect(await without.has('deps/lib')).toBeUndefined()
    expect(without.treeId).not.toBe(tree.treeId)
    expect(lines.at(-1)).toBe('warning: 1 submodules are left out, as the project does not ask for them: deps/lib')
  })

  it('may hold others, but not without end', async () => {
    const {fetch} = await gitFixture()
    const [top, middle] = [await makeTop(), await makeTop()]
    const commit = await addSubmodules(middle, [{path: 'inner', url: '../lib.git', commit: await lib.head()}])
    await addSubmodules(top, [{path: 'middle', url: `../${middle.name}.git`, commit}])
    expect(await filesOf(await fetch({url: git.httpUrl(top.name), submodules: true}))).toMatchObject({'middle/top.c': 't', 'middle/inner/lib.c': '2'})
    let last = await lib.head()
    let name = 'lib'
    for (let depth = 0; depth < 7; depth += 1) {
      const next = await makeTop()
      last = await addSubmodules(next, [{path: 'd', url: `../${name}.git`, commit: last}])
      name = next.name
    }
    await expect(fetch({url: git.httpUrl(name), submodules: true})).rejects.toMatchObject(refused(/d\/d\/d\/d\/d\/d stands in more than 5 others/))
  })

  it('show all of their files as changed when they have moved on', async () => {
    const {fetch} = await gitFixture()
    const top = await makeTop()
    const before = await addSubmodules(top, [{path: 'lib', url: '../lib.git', commit: await older()}])
    await addSubmodules(top, [{path: 'lib', url: '../lib.git', commit: await lib.head()}])
    const tree = await fetch({url: git.httpUrl(top.name), submodules: true})
    expect(await tree.changedSince(before, idle)).toEqual(['lib', 'lib/.dockerignore', 'lib/a.md', 'lib/lib.c'])
  })

  it('that say of themselves that they are not fetched stay out', async () => {
    const {fetch} = await gitFixture()
    const top = await makeTop()
    await addSubmodules(top, [{path: 'off', url: 'https://nobody.invalid/x', commit: '1'.repeat(40), extra: '\tupdate = none\n'}, {path: 'on', url: '../lib.git', commit: await lib.head()}])
    expect(Object.keys(await filesOf(await fetch({url: git.httpUrl(top.name), submodules: true})))).toEqual(['.gitmodules', 'on', 'on/.dockerignore', 'on/a.md', 'on/lib.c', 'top.c'])
  })

  it.each([
    ['has no address', [], /deps\/x has no address in \.gitmodules/, {submodule: 'deps/x'}],
    ['has an address that we do not fetch from', [{path: 'deps/x', url: 'ext::sh -c id', commit: ''}], /no address of a repository/, {submodule: 'deps/x', submoduleReason: 'address'}],
    ['has an address that is an option', [{path: 'deps/x', url: '--upload-pack=id', commit: ''}], /no address of a repository/, {submoduleReason: 'address'}],
    ['lies in the file system', [{path: 'deps/x', url: '/srv/x.git', commit: ''}], /no address of a repository/, {submoduleReason: 'address'}],
    ['is not there', [{path: 'deps/x', url: '../none.git', commit: ''}], /deps\/x can not be fetched: .* has no such repository/, {submoduleReason: 'repository'}],
    ['has lost its commit', [{path: 'deps/x', url: '../lib.git', commit: ''}], /is on no branch of the repository/, {submoduleReason: 'commit'}],
  ])('that %s are named', async (_, modules, message, details) => {
    const {fetch} = await gitFixture()
    const top = await makeTop()
    await addSubmodules(top, [{path: 'deps/x', url: '', commit: '12'.repeat(20)}], modules)
    await expect(fetch({url: git.httpUrl(top.name), submodules: true})).rejects.toMatchObject(refused(message, details))
    expect(await (await fetch({url: git.httpUrl(top.name), submodules: false})).has('top.c')).toBe('file')
  })

  it('get the login of the repository on the same host, and nothing of it anywhere else', async () => {
    const heard: (string | undefined)[] = []
    const other = createServer((request, response) => {
      heard.push(request.headers.authorization)
      response.writeHead(401, {'www-authenticate': 'Basic realm="other"'}).end()
    })
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void other.close())
    const address = other.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    const login = {username: git.credentials.user, password: git.credentials.password}
    const {fetch} = await gitFixture()
    const [same, foreign] = [await makeTop(), await makeTop()]
    await addSubmodules(same, [{path: 'lib', url: '../lib.git', commit: await lib.head()}])
    expect(await (await fetch({url: git.privateUrl(same.name), submodules: true, ...login})).readText('lib/lib.c', 10)).toBe('2')
    await addSubmodules(foreign, [{path: 'lib', url: `http://127.0.0.1:${port}/lib.git`, commit: await lib.head()}])
    await expect(fetch({url: git.privateUrl(foreign.name), submodules: true, ...login})).rejects.toMatchObject(refused(/asks for a login, and the project has none/, {submoduleReason: 'login'}))
    expect(heard.length).toBeGreaterThan(0)
    expect(heard.every((header) => header === undefined)).toBe(true)
  })
})
