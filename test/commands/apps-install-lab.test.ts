import {describe, expect, test} from 'vitest'
import {app, startAppDaemon} from '../daemon/apps/app-fixture.js'
import {addServer, onServer} from '../daemon/projects/deployments/deploy-lab.js'
import {dockerHostsMissing, startDockerHosts} from '../lab/docker-hosts.js'
import {sharedPart} from '../lab/shared-part.js'
import {runCommand} from './run-command.js'

// The image shows what VERSION is: here the secret of the app.
const web = {name: 'web', exposed: true, exposedPort: 80, ports: ['0.0.0.0:18091:80'], environment: {VERSION: '{{config:PASSWORD}}'}, secretEnv: ['VERSION']}
const secret = {
  configFields: [{key: 'PASSWORD', service: 'web', label: 'Password', generate: 'secret', secret: true}],
  connection: {title: 'Paste', outputs: [{id: 'url', label: 'URL', source: 'publicUrl:web', kind: 'url'}, {id: 'password', label: 'Password', source: 'env:web:VERSION', secret: true}]},
}
const apps = [
  app('paste', {...secret, services: [{...web, image: 'lab/web:1'}]}),
  app('slow', {services: [{name: 'web', image: 'lab/unhealthy:1'}]}),
  app('broken', {services: [{name: 'web', image: 'lab/exits:1', restart: 'no'}]}),
]

describe.skipIf(dockerHostsMissing() !== null)('apps install on a Docker host', {timeout: 180_000}, () => {
  const hosts = sharedPart(() => startDockerHosts(1))

  test('ends with the truth, and with a card whose values work', async () => {
    const daemon = await startAppDaemon(apps)
    const {home} = daemon
    const host = hosts.host(1)
    const lab = onServer(daemon, host, await addServer(daemon, hosts, host))
    const run = (...argv: string[]) => runCommand(argv, {home})
    const done = await run('apps', 'install', 'paste', '--server', host.name, '--wait', '--json', '--reveal')
    const {project, deployment, connection} = JSON.parse(done.stdout)
    lab.cleanUp(project)
    expect([done.exitCode, deployment]).toMatchObject([0, {status: 'ready', trigger: 'app'}])
    const [url, password] = connection.outputs
    expect(await (await fetch(url.value)).text()).toBe(`version ${password.value}\n`)
    const again = await run('apps', 'install', 'paste', '--name', 'Second', '--server', host.name, '--wait')
    expect(again).toMatchObject({exitCode: 1, stdout: '', stderr: expect.stringContaining('18091')})
    const broken = await run('apps', 'install', 'broken', '--server', host.name, '--wait')
    expect(broken).toMatchObject({exitCode: 1, stderr: expect.stringContaining('web ended with code 3')})
    const late = await run('apps', 'install', 'slow', '--server', host.name, '--wait', '--timeout', '2s')
    expect(late).toMatchObject({exitCode: 8, stderr: expect.stringContaining('goes on')})
    const plain = await run('apps', 'connection', 'app-paste')
    expect(plain.stdout).toBe(`URL\thttp://${host.address}:18091\nPassword\t••••••••\n`)
    const gone = await run('apps', 'uninstall', 'app-paste', '--yes')
    expect(gone).toMatchObject({exitCode: 0, stdout: expect.stringContaining('is uninstalled')})
    expect(await host.docker('ps', '--all', '--format', '{{.Names}}')).not.toContain('moorage-app-paste')
  })
})
