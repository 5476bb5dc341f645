import {describe, expect, it} from 'vitest'
import {dockerHostsMissing, startDockerHosts} from '../../../lab/docker-hosts.js'
import {startGitServers} from '../../../lab/git-server.js'
import {sharedPart} from '../../../lab/shared-part.js'
import {untilServes} from '../../../lab/web-page.js'
import {deployLab} from './deploy-lab.js'

const dockerfile = 'FROM lab/base:1\nCOPY page /www/index.html\nCMD ["httpd", "-f", "-p", "80", "-h", "/www"]\nSTOPSIGNAL SIGKILL\n'

describe.skipIf(dockerHostsMissing() !== null)('deploying to a Docker host', {timeout: 120_000}, () => {
  const hosts = sharedPart(() => startDockerHosts(1))
  const git = sharedPart(startGitServers)

  it('brings an image up, says what it did, and is seen by docker-compose as any other project', async () => {
    const lab = await deployLab(hosts, hosts.host(1))
    const project = await lab.project({name: 'Shop', image: 'lab/web:1', port: 80})
    const deployment = await lab.deploy(project.id)
    expect(deployment, await lab.log(deployment.id)).toMatchObject({status: 'ready', version: 1, isActive: true, endReason: null, errorMessage: null, interruptionMs: null})
    expect(deployment.steps.map(({step, status}) => `${step} ${status}`)).toEqual(['prepare completed', 'clone skipped', 'install completed', 'build skipped', 'deploy completed'])
    const [service] = deployment.services ?? []
    expect(service).toMatchObject({serviceName: 'app', status: 'success', reason: 'changed', imageRef: 'lab/web:1', hostPort: expect.any(Number)})
    expect(await lab.host.run(`wget -q -O - http://127.0.0.1:${service?.hostPort}/`)).toBe('version 1\n')
    expect(await lab.host.run('docker-compose -p moorage-shop -f /srv/moorage/shop/compose.yml ps')).toMatch(/moorage-shop_app_1 .* Up /)
    // Typed by hand in its folder, without any words.
    expect(await lab.host.run('cd /srv/moorage/shop && docker-compose ps --services && docker-compose ps -q')).toMatch(/^app\n[0-9a-f]{64}\n$/)
    expect(await lab.host.run('stat -c %a /srv/moorage/shop/compose.yml')).toBe('600\n')
  })

  it('builds what a repository holds, and after a change of one file only the service it belongs to', async () => {
    const lab = await deployLab(hosts, hosts.host(1))
    const compose = {services: {web: {build: './web', ports: ['8101:80']}, api: {build: './api', ports: ['8102:80']}, cache: {image: 'lab/base:1', command: 'sleep 1000'}}}
    const repository = await git.repository('parts', [{message: 'first', files: {'compose.yml': JSON.stringify(compose), 'web/Dockerfile': dockerfile, 'web/page': 'web 1\n', 'api/Dockerfile': dockerfile, 'api/page': 'api 1\n'}}])
    const project = await lab.project({name: 'Parts', gitUrl: git.httpUrl('parts'), gitBranch: 'main'})
    const first = await lab.deploy(project.id)
    expect(first, await lab.log(first.id)).toMatchObject({status: 'ready', version: 1, commitSha: await repository.head(), commitMessage: 'first'})
    await untilServes(`http://${lab.host.address}:8101/`, 'web 1')
    expect(first.url).toBe(`http://${lab.host.address}:8101`)
    const before = await lab.containers('parts')
    await repository.commit({message: 'second', files: {'web/page': 'web 2\n'}})
    const second = await lab.deploy(project.id)

    expect(second, await lab.log(second.id)).toMatchObject({status: 'ready', version: 2, commitMessage: 'second', previousDeploymentId: first.id, interruptionMs: expect.any(Number)})
    expect(second.services?.map(({serviceName, status, reason}) => `${serviceName} ${status} ${reason}`)).toEqual(['api skipped unchanged', 'cache skipped unchanged', 'web success changed'])
    await untilServes(`http://${lab.host.address}:8101/`, 'web 2')
    const after = await lab.containers('parts')
    expect([after['api'], after['cache']]).toEqual([before['api'], before['cache']])
    expect(after['web']).not.toBe(before['web'])
  })
})
