import {rename} from 'node:fs/promises'
import {describe, expect, it, onTestFinished} from 'vitest'
import {dockerHostsMissing, startDockerHosts} from '../../../lab/docker-hosts.js'
import {startGitServers} from '../../../lab/git-server.js'
import {sharedPart} from '../../../lab/shared-part.js'
import {untilServes} from '../../../lab/web-page.js'
import {deployLab} from './deploy-lab.js'

const page = (text: string) => ({build: {context: '.', dockerfile_inline: `FROM lab/base:1\nCOPY . /www/\nRUN echo ${text} >/www/index.html\n`}, command: ['httpd', '-f', '-p', '80', '-h', '/www'], stop_signal: 'SIGKILL', ports: ['8160:80']})

describe.skipIf(dockerHostsMissing() !== null)('what a deployment meets on its way', {timeout: 120_000}, () => {
  const hosts = sharedPart(() => startDockerHosts(1))
  const git = sharedPart(startGitServers)

  it('is a Dockerfile in the Compose file, which is built and goes by what changed', async () => {
    const lab = await deployLab(hosts, hosts.host(1))
    const project = await lab.folder('Inline', {web: page('one')}, {'.dockerignore': 'secret\n', secret: 's', kept: 'k'})
    const first = await lab.deploy(project.id)
    expect(first.status, await lab.log(first.id)).toBe('ready')
    await untilServes(`http://${lab.host.address}:8160/`, 'one')
    const inside = await lab.host.run(`docker exec ${(await lab.containers(project.slug))['web'] ?? ''} ls -A /www`)
    expect(inside.split('\n').filter((name) => name !== '').sort()).toEqual(['.dockerignore', 'compose.yml', 'index.html', 'kept'])
    expect((await lab.deploy(project.id)).status).toBe('no_changes')
    await project.write({web: page('two')})
    expect((await lab.deploy(project.id)).status).toBe('ready')
    await untilServes(`http://${lab.host.address}:8160/`, 'two')
  })

  it('is a login that is wrong, a branch or a repository that vanished: it says which, and what is served stays', async () => {
    const lab = await deployLab(hosts, hosts.host(1))
    const compose = JSON.stringify({services: {web: {image: 'lab/web:1', ports: ['8160:80']}}})
    const repository = await git.repository('vanishing', [{message: 'one', files: {'compose.yml': compose}}, {message: 'two', branch: 'release', files: {note: 'n'}}])
    const {user, password} = git.credentials
    const project = await lab.project({name: 'Vanishing', gitUrl: git.privateUrl('vanishing'), gitBranch: 'release'})
    const sign = async (gitPassword: string) => expect((await lab.daemon.call('POST', `/api/projects/${project.id}/deploy-key`, {gitUsername: user, gitPassword})).status).toBe(200)
    await sign(password)
    const first = await lab.deploy(project.id)
    expect(first.status, await lab.log(first.id)).toBe('ready')
    const before = await lab.containers(project.slug)
    const refused = async (reason: string, message: RegExp) => {
      const {id} = await lab.deploy(project.id)
      const ended = (await lab.daemon.call('GET', `/api/deployments/${id}`)).body.data
      expect(ended).toMatchObject({status: 'failed', endReason: 'source', errorCode: 'SOURCE_UNAVAILABLE', errorDetails: {reason}, errorMessage: expect.stringMatching(message), restoredDeploymentId: null, interruptionMs: null})
      expect(await lab.log(id)).not.toContain(password)
    }
    await sign('wrong')
    await refused('login', /does not accept the user name and password/)
    await sign(password)
    await repository.git('update-ref', '-d', 'refs/heads/release')
    await refused('branch', /release/)
    await rename(repository.path, `${repository.path}.moved`)
    await refused('repository', /no such repository/)
    expect(await lab.containers(project.slug)).toEqual(before)
    await untilServes(`http://${lab.host.address}:8160/`, 'version 1')
    await rename(`${repository.path}.moved`, repository.path)
    expect((await lab.daemon.call('PATCH', `/api/projects/${project.id}`, {gitBranch: 'main'})).status).toBe(200)
    expect((await lab.deploy(project.id)).status).toBe('ready')
  })

  it('is a port that a container of somebody else or a plain program holds, which is found before anything stops', async () => {
    const lab = await deployLab(hosts, hosts.host(1))
    const web = (ports: readonly string[]) => ({web: {image: 'lab/web:1', ports, environment: {PORTS: ports.join()}}})
    const project = await lab.folder('Ports', web(['8160:80']))
    await lab.deploy(project.id)
    const before = await lab.containers(project.slug)
    const foreign = (await lab.host.docker('run', '--detach', '--name', 'somebody', '--publish', '8161:80', 'lab/web:1')).trim()
    onTestFinished(() => lab.host.docker('rm', '--force', foreign).then(() => undefined))
    const program = (await lab.host.run('busybox httpd -f -p 8162 -h /tmp >/dev/null 2>&1 </dev/null & echo $!')).trim()
    onTestFinished(() => lab.host.attempt(`kill ${program}`).then(() => undefined))
    const refused = async (port: number, message: RegExp) => {
      await project.write(web([`${port}:80`]))
      const ended = await lab.deploy(project.id)
      expect(ended, await lab.log(ended.id)).toMatchObject({status: 'action_required', endReason: 'ports', errorCode: 'PORT_IN_USE', errorDetails: {ports: [{port, protocol: 'tcp', service: 'web'}]}, interruptionMs: null})
      expect(ended.errorMessage).toMatch(message)
    }
    await refused(8161, /^port 8161\/tcp of web is taken by somebody; nothing was stopped$/)
    await refused(8162, /^port 8162\/tcp of web is taken; nothing was stopped$/)
    expect(await lab.containers(project.slug)).toEqual(before)
    await lab.host.run(`kill ${program}`)
    expect((await lab.deploy(project.id)).status).toBe('ready')
    await untilServes(`http://${lab.host.address}:8162/`, 'version 1')
  })

  it('are others that were asked for at the same instant: one goes on, one waits, the rest were replaced', async () => {
    const lab = await deployLab(hosts, hosts.host(1))
    const project = await lab.folder('Instant', {web: {image: 'lab/web:1'}})
    const ids = await Promise.all(Array.from({length: 6}, () => lab.ask(project.id)))
    const ended = await Promise.all(ids.map((id) => lab.ended(id)))
    expect(ended.map(({status, endReason}) => endReason ?? status).sort()).toEqual(['no_changes', 'ready', 'superseded', 'superseded', 'superseded', 'superseded'])
  })

  it('is a server with another host key than at first: nothing is sent there', async () => {
    const lab = await deployLab(hosts, hosts.host(1))
    const project = await lab.folder('Another key', {web: {image: 'lab/web:1', ports: ['8160:80']}})
    await lab.deploy(project.id)
    const before = await lab.containers(project.slug)
    await lab.host.sshd.replaceHostKey()
    const ended = await lab.deploy(project.id)
    expect(ended, await lab.log(ended.id)).toMatchObject({status: 'failed', endReason: 'unreachable', errorCode: 'HOST_KEY_CHANGED', errorMessage: expect.stringMatching(/key/)})
    expect(await lab.containers(project.slug)).toEqual(before)
    await untilServes(`http://${lab.host.address}:8160/`, 'version 1')
  })
})
