import {describe, expect, it, onTestFinished} from 'vitest'
import {dockerHostsMissing, startDockerHosts} from '../../../lab/docker-hosts.js'
import {startRegistry} from '../../../lab/registry.js'
import {sharedPart} from '../../../lab/shared-part.js'
import {refuseWays} from '../../servers/engine/ways.js'
import {startTestDaemon} from '../../start-test-daemon.js'
import {addServer, onServer} from './deploy-lab.js'

const credentials = {username: 'reader', password: 'planted-registry-password'}
const command = ['/bin/busybox', 'sleep', '600']

describe.skipIf(dockerHostsMissing() !== null)('deploying from a registry that wants a login', () => {
  const lab = sharedPart(() => startDockerHosts(1))
  const registry = sharedPart(() => startRegistry({address: lab.gateway, credentials}))

  it.each(['root', 'member'] as const)('says which one and what to do, then takes the login that is kept, as %s', async (name) => {
    const host = lab.host(1)
    if (name === 'member') onTestFinished(await refuseWays(host))
    const daemon = await startTestDaemon()
    const shop = onServer(daemon, host, await addServer(daemon, lab, host, host.users[name]))
    const ref = await registry.add(`private-${name}`, '1', [{hello: name}])
    const files = {'built/Dockerfile': `FROM ${ref}\nCOPY Dockerfile /\n`}
    // What the registry gives has no program: that it starts is not the question here.
    const pulled = await shop.folder(`Pulled ${name}`, {web: {image: ref, command}}, files)
    const built = await shop.folder(`Built ${name}`, {web: {build: 'built', command}}, files)
    const keep = (password: string) => daemon.call('PUT', '/api/registries', {host: registry.host, username: credentials.username, password})
    const hint = `registries add ${registry.host}`

    const refused = await shop.deploy(pulled.id)
    expect(refused).toMatchObject({status: 'failed', errorDetails: {reason: 'login_required', registry: registry.host}})
    expect(refused.errorMessage).toContain(`the registry ${registry.host} wants a login`)
    expect(refused.errorMessage).toContain(hint)
    expect((await shop.deploy(built.id)).errorMessage).toContain(hint)

    await keep('wrong')
    expect(await shop.deploy(pulled.id)).toMatchObject({status: 'failed', errorDetails: {reason: 'login_refused', registry: registry.host}})

    await keep(credentials.password)
    const tag = async () => (await host.docker('image', 'ls', '--quiet', ref)).trim()
    expect(await tag()).toBe('')
    const deployments = [await shop.deploy(pulled.id), await shop.deploy(built.id)]
    expect(await tag()).not.toBe('')
    for (const {errorMessage} of deployments) expect(errorMessage).not.toContain('login')
    expect(deployments.map(({endReason}) => endReason)).toEqual(['start', 'start'])
    const logs = (await Promise.all(deployments.map(({id}) => shop.log(id)))).join('\n')
    expect(logs + daemon.log.join('')).not.toContain(credentials.password)
    expect((await host.attempt('cat /root/.docker/config.json /home/*/.docker/config.json; ls -d /tmp/tmp.*')).stdout).toBe('')
  }, 120_000)
})
