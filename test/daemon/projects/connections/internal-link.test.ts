import {describe, expect, test} from 'vitest'
import {dockerHostsMissing, startDockerHosts} from '../../../lab/docker-hosts.js'
import {sharedPart} from '../../../lab/shared-part.js'
import {app, startAppDaemon} from '../../apps/app-fixture.js'
import {addServer, onServer, type DeployLab} from '../deployments/deploy-lab.js'

// The image shows what VERSION is: here the secret of the app, so that whoever reaches it sees which one it is.
const store = app('store', {
  services: [
    {name: 'web', image: 'lab/web:1', exposed: true, exposedPort: 80, ports: ['0.0.0.0:18090:80'], environment: {VERSION: '{{config:PASSWORD}}'}, secretEnv: ['VERSION'], dependsOn: ['cache']},
    {name: 'cache', image: 'lab/web:1', environment: {VERSION: 'cache-of-the-store'}},
  ],
  configFields: [{key: 'PASSWORD', service: 'web', label: 'Password', generate: 'secret', secret: true}],
  endpoints: [{service: 'web', port: 80, label: 'web', kind: 'http', scope: 'internal'}],
  connection: {outputs: [{id: 'url', label: 'URL', source: 'publicUrl:web', kind: 'url'}, {id: 'password', label: 'Password', source: 'env:web:VERSION', secret: true}]},
  provides: [{id: 'store', outputRefs: ['url', 'password']}],
})

describe.skipIf(dockerHostsMissing() !== null)('connected projects', {timeout: 240_000}, () => {
  const hosts = sharedPart(() => startDockerHosts(1))

  interface Both {
    readonly lab: DeployLab
    readonly source: {readonly id: string; readonly slug: string}
    readonly target: {readonly id: string; readonly slug: string}
    outputs(): Promise<Record<string, string>>
    /** What a service of a project gets when it asks for an address. */
    ask(project: {readonly slug: string}, service: string, command: string): Promise<string>
  }

  async function open(): Promise<Both> {
    const daemon = await startAppDaemon([store])
    const host = hosts.host(1)
    const lab = onServer(daemon, host, await addServer(daemon, hosts, host))
    const {projectId, slug} = (await daemon.call('POST', '/api/apps', {templateId: 'store', serverId: lab.serverId})).body.data
    lab.cleanUp(projectId)
    const target = await lab.project({name: 'Shop', projectType: 'services'})
    await daemon.call('POST', `/api/projects/${target.id}/services`, {name: 'client', image: 'lab/base:1', commandArgv: ['sleep', '6000']})
    await daemon.call('POST', `/api/projects/${target.id}/services`, {name: 'cache', image: 'lab/web:1', environment: {VERSION: 'cache-of-the-shop'}})
    return {
      lab, source: {id: projectId, slug}, target,
      async outputs() {
        const {body} = await daemon.call('GET', `/api/projects/${projectId}/app-connection`)
        return Object.fromEntries(body.data.outputs.map(({id, value}: {id: string; value: string}) => [id, value]))
      },
      async ask(project, service, command) {
        return (await host.docker('exec', (await lab.containers(project.slug))[service] ?? '', 'sh', '-c', command)).trim()
      },
    }
  }

  test('the card of an app leads to it with the password that is in its container', async () => {
    const {lab, source, outputs} = await open()
    expect(await lab.deploy(source.id)).toMatchObject({status: 'ready'})
    const {url, password} = await outputs()
    expect([url, password]).toEqual([`http://${lab.host.address}:18090`, expect.stringMatching(/^[0-9a-f]{64}$/)])
    expect(await (await fetch(url ?? '')).text()).toBe(`version ${password}\n`)
    await lab.daemon.call('DELETE', `/api/projects/${source.id}`)
  })

  test('reach each other by name, each with its own services under their names, over new deployments of either side', async () => {
    const {lab, source, target, outputs, ask} = await open()
    await lab.deploy(source.id)
    const {body} = await lab.daemon.call('POST', `/api/projects/${target.id}/connections/bundle`, {sourceProjectId: source.id, items: [{outputId: 'url', envKey: 'STORE_URL'}, {outputId: 'password', envKey: 'STORE_PASSWORD'}]})
    expect(body.data.connections).toMatchObject([{mode: 'internal'}, {mode: 'internal'}])
    expect(await lab.deploy(target.id)).toMatchObject({status: 'ready'})
    const reached = async () => ask(target, 'client', 'echo "$STORE_URL $STORE_PASSWORD"; wget -q -O - "$STORE_URL"')
    const {password: first} = await outputs()
    expect(await reached()).toBe(`http://web:80 ${first}\nversion ${first}`)
    expect(await ask(target, 'client', 'wget -q -O - http://cache/')).toBe('version cache-of-the-shop')
    expect(await ask(source, 'web', 'wget -q -O - http://cache/')).toBe('version cache-of-the-store')
    await lab.daemon.call('PUT', `/api/projects/${source.id}/services/web/env`, {environment: 'production', vars: [{key: 'VERSION', value: 'changed', isSecret: true}]})
    expect(await lab.deploy(source.id)).toMatchObject({status: 'ready'})
    expect(await reached()).toBe(`http://web:80 ${first}\nversion changed`)
    const followed = await lab.deploy(target.id)
    expect(followed).toMatchObject({status: 'ready'})
    expect(await reached()).toBe('http://web:80 changed\nversion changed')
    expect(await lab.log(followed.id)).not.toContain('changed')
    expect(await lab.deploy(target.id)).toMatchObject({status: 'no_changes'})
    const gone = await lab.daemon.call('DELETE', `/api/projects/${target.id}`)
    expect(gone.body).toMatchObject({ok: true, orphaned: []})
    expect(await lab.host.docker('network', 'ls', '--format', '{{.Name}}')).not.toContain('moorage-shop')
    expect(await ask(source, 'web', 'wget -q -O - http://cache/')).toBe('version cache-of-the-store')
    await lab.daemon.call('DELETE', `/api/projects/${source.id}`)
  })

  test('are parted by a disconnect, and by the deletion of the one that is used', async () => {
    const {lab, source, target, ask} = await open()
    await lab.deploy(source.id)
    const {body} = await lab.daemon.call('POST', `/api/projects/${target.id}/connections`, {sourceProjectId: source.id, outputId: 'url', envKey: 'STORE_URL'})
    await lab.deploy(target.id)
    await lab.daemon.call('DELETE', `/api/projects/${target.id}/connections/${body.data.connection.id}`)
    expect(await lab.deploy(target.id)).toMatchObject({status: 'ready'})
    expect(await ask(target, 'client', 'echo "url:$STORE_URL"; wget -q -O - http://web/ || echo unreachable')).toBe('url:\nunreachable')
    const networks = () => lab.host.docker('network', 'ls', '--format', '{{.Name}}')
    expect(await networks()).not.toContain('-link-')
    await lab.daemon.call('POST', `/api/projects/${target.id}/connections`, {sourceProjectId: source.id, outputId: 'url', envKey: 'STORE_URL'})
    await lab.deploy(target.id, {refresh: true})
    expect(await ask(target, 'client', 'wget -q -O - "$STORE_URL"')).toMatch(/^version [0-9a-f]{64}$/)
    expect((await lab.daemon.call('DELETE', `/api/projects/${source.id}`)).body).toMatchObject({ok: true, orphaned: [], unlinked: ['STORE_URL of Shop']})
    for (const action of ['disable', 'enable']) expect((await lab.daemon.call('POST', `/api/projects/${target.id}/${action}`)).status).toBe(200)
    expect(await lab.deploy(target.id)).toMatchObject({status: 'ready'})
    expect(await ask(target, 'client', 'echo "url:$STORE_URL"')).toBe('url:')
    expect(await networks()).not.toContain('-link-')
    await lab.daemon.call('DELETE', `/api/projects/${target.id}`)
  })
})
