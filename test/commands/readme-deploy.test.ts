import {execFile} from 'node:child_process'
import {mkdir, readFile, writeFile} from 'node:fs/promises'
import path from 'node:path'
import {promisify} from 'node:util'
import {describe, expect, onTestFinished, test} from 'vitest'
import {startTestDaemon, temporaryFolder} from '../daemon/start-test-daemon.js'
import {dockerHostsMissing, startDockerHosts} from '../lab/docker-hosts.js'
import {startGitHttp} from '../lab/git-http.js'
import {gitEnvironment, makeRepository} from '../lab/git-repository.js'
import {sharedPart} from '../lab/shared-part.js'

const run = promisify(execFile)
const root = path.resolve(import.meta.dirname, '../..')
const sampleId = 'dep_Zz9Yy8Xx7Ww6Vv5U'

/** The blocks of shell of a section, in order. */
async function blocksOf(title: string): Promise<string[]> {
  const readme = await readFile(path.join(root, 'README.md'), 'utf8')
  const section = readme.split(/^## /m).find((part) => part.startsWith(`${title}\n`)) ?? ''
  return [...section.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = '']) => block)
}

describe.skipIf(dockerHostsMissing() !== null)('the README', {timeout: 240_000}, () => {
  const hosts = sharedPart(() => startDockerHosts(1))

  test('deploys what it says, word by word', async () => {
    const host = hosts.host(1)
    // What the registry would give.
    await host.docker('tag', 'lab/base:1', 'busybox:1.37')
    const {home} = await startTestDaemon()
    const work = await temporaryFolder()
    const repositories = path.join(work, 'repositories')
    await mkdir(repositories)
    await makeRepository(repositories, 'shop')
    const git = await startGitHttp({folder: repositories, address: '127.0.0.1'})
    onTestFinished(() => git.close())
    const bin = path.join(work, 'bin')
    await mkdir(bin)
    await writeFile(path.join(bin, 'moorage'), `#!/bin/sh\nexec '${process.execPath}' '${path.join(root, 'bin/run.js')}' "$@"\n`, {mode: 0o755})
    const author = {GIT_AUTHOR_NAME: 'Kim', GIT_AUTHOR_EMAIL: 'kim@example.com', GIT_COMMITTER_NAME: 'Kim', GIT_COMMITTER_EMAIL: 'kim@example.com'}
    const env = {...gitEnvironment, ...author, PATH: `${bin}:${process.env['PATH'] ?? ''}`, HOME: work, MOORAGE_HOME: home, MOORAGE_CONFIG_DIR: path.join(home, 'config')}
    let folder = work
    const shell = async (text: string): Promise<string> => {
      const {stdout} = await run('bash', ['-ec', `cd '${folder}'\n${text}\npwd >'${work}/where'`], {env})
      folder = (await readFile(`${work}/where`, 'utf8')).trim()
      return stdout
    }
    const releases = async (): Promise<string[]> => JSON.parse(await shell('moorage deployments list --project shop --json')).items.map(({id}: {id: string}) => id)
    const page = async (port: number) => (await fetch(`http://${host.address}:${port}/`)).text()
    const here = (block: string) => block
      .replace('deploy@203.0.113.7', `${host.users.root.name}@${host.address} --port ${host.sshd.port} --host-key ${host.sshd.fingerprint()}`).replace('~/.ssh/id_ed25519', hosts.keyFile)
      .replace('git remote add origin https://git.example.com/acme', `git remote add origin ${repositories}`).replace('https://git.example.com/acme', `http://127.0.0.1:${git.port}`)

    const [server = '', sample = '', first = '', second = '', variable = '', rollback = '', directory = '', away = ''] = (await blocksOf('Deploy something')).map(here)
    expect(await shell(server)).toContain('docker')
    await shell(sample)
    expect(await shell(first)).toMatch(/^shop is created: .*\nshop is live: release 1 .*\n(.*\n)*web\trunning/)
    expect(await page(8080)).toBe('first version\nhello\n')
    const clock = await shell('moorage services list shop | grep ^clock')
    expect(await shell(second)).toMatch(/shop is live: release 2/)
    expect([await page(8080), await shell('moorage services list shop | grep ^clock')]).toEqual(['second version\nhello\n', clock])
    expect(await shell(variable.replace(sampleId, '$(moorage deployments list --project shop --limit 1 --json | grep -o "dep_[A-Za-z0-9_-]*" | head -1)'))).toMatch(/shop is live: release 3[\s\S]*web: changed\n.*GREETING/)
    expect(await page(8080)).toBe('second version\ngood morning\n')
    const [, before = ''] = await releases()
    expect(await shell(rollback.replaceAll(sampleId, before))).toContain('shop is live: release 2')
    expect(await page(8080)).toBe('second version\nhello\n')
    expect(await shell(directory)).toMatch(/trial is live: release 1[\s\S]*trial is as it was/)
    expect(await page(8081)).toBe('second version\nhello\n')
    await shell(away)
    expect(await host.docker('ps', '--all', '--quiet')).toBe('')
  })
})
