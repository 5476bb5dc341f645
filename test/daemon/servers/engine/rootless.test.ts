import {beforeAll, describe, expect, test} from 'vitest'
import {dockerHostsMissing, startDockerHosts} from '../../../lab/docker-hosts.js'
import {rootlessMissing, startRootlessDocker} from '../../../lab/rootless-docker.js'
import {sharedPart} from '../../../lab/shared-part.js'
import {engineOver} from './engine-fixture.js'
import {contextOf} from './tar-context.js'

const signal = () => AbortSignal.timeout(30_000)

describe.skipIf(dockerHostsMissing() !== null || rootlessMissing() !== null)('a rootless engine', () => {
  const lab = sharedPart(() => startDockerHosts(1))
  const host = sharedPart(() => lab.host(1))
  const rootless = sharedPart(() => startRootlessDocker(host, 'alone'))
  const reached = sharedPart(() => engineOver({lab, host, user: rootless.user}))
  beforeAll(async () => {
    await host.run(`tar -C /bin -c busybox | DOCKER_HOST=unix://${rootless.socket} docker import - lab/tiny:1`, {user: rootless.user})
  }, 90_000)

  test('is found without a word from the user, beside one that is for root', async () => {
    expect(await reached.engine.facts({signal: signal()})).toMatchObject({way: 'socket', rootless: true, needsSudo: false, folder: '/home/alone/moorage'})
    expect(await reached.engine.image('lab/base:1', {signal: signal()})).toBeUndefined()
    expect(await reached.engine.image('lab/tiny:1', {signal: signal()})).toBeDefined()
  })

  test('builds, and brings up what was built by Compose', async () => {
    const {engine} = reached
    const context = contextOf({Dockerfile: 'FROM lab/tiny:1\nCMD ["/busybox", "sh", "-c", "echo up; exec /busybox sleep 600"]\n'})
    await engine.build(context, {signal: signal(), dockerfile: 'Dockerfile', tag: 'moorage/shop-web:1', args: {}, labels: {}, onLine: () => undefined})
    await engine.writeFile('shop/compose.yml', JSON.stringify({version: '3.8', services: {web: {image: 'moorage/shop-web:1', labels: {test: 'rootless'}, ports: ['8097:80']}}}), {signal: signal()})
    const up = await engine.compose(['-p', 'moorage-shop', '-f', 'compose.yml', 'up', '-d', '--no-build'], {signal: signal(), cwd: '/home/alone/moorage/shop'})
    expect([up.exitCode, up.stderr]).toEqual([0, expect.stringMatching(/web/)])
    const [web] = await engine.containers({test: 'rootless'}, {signal: signal()})
    expect(web).toMatchObject({state: 'running', imageRef: 'moorage/shop-web:1'})
    expect((await rootless.docker('ps --quiet --no-trunc')).trim()).toBe(web?.id)
    expect(await host.docker('ps', '--quiet')).toBe('')
    expect(await engine.exec(web?.id ?? '', ['/busybox', 'id', '-u'], {signal: signal()})).toMatchObject({exitCode: 0, stdout: '0\n'})
    expect((await engine.takenPorts({signal: signal()})).filter(({port, hostAddress}) => port === 8097 && hostAddress === '0.0.0.0')).toMatchObject([{labels: {test: 'rootless'}}])
  })
})
