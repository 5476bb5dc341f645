import {readFile} from 'node:fs/promises'
import path from 'node:path'
import {beforeAll, describe, expect, it} from 'vitest'
import {AppDefinition, filesOf} from '../../../src/catalog/definition.js'
import {findPackageRoot} from '../../../src/config/package-root.js'
import {dockerHostsMissing, startDockerHosts} from '../../lab/docker-hosts.js'
import {sharedPart} from '../../lab/shared-part.js'
import {addStandIns} from '../../lab/stand-in-images.js'
import {addServer, onServer, type DeployLab} from '../projects/deployments/deploy-lab.js'
import {app, startAppDaemon} from './app-fixture.js'

// Several services, files, inline builds, addresses, groups of secrets, and prepare steps that wait, capture and store.
const ids = ['grafana', 'plausible', 'forgejo', 'ghost', 'mongodb', 'garage', 'static-site'] as const
const contentKey = '0123456789abcdef0123456789'
const generated = /^[0-9a-f]{64}$/

/** An entry of the catalog, with checks that come sooner: nothing else of it is changed. */
async function readEntry(id: string): Promise<AppDefinition> {
  const entry = AppDefinition.parse(JSON.parse(await readFile(path.join(findPackageRoot(), 'catalog/apps', `${id}.json`), 'utf8')))
  const services = (entry.services ?? []).map((service) => (service.healthcheck === undefined ? service : {...service, healthcheck: {...service.healthcheck, interval: '1s'}}))
  const prepare = (entry.prepare ?? []).map((step) => (step.readiness === undefined ? step : {...step, readiness: {...step.readiness, interval: 200}}))
  return {...entry, services, prepare}
}

type Environments = Readonly<Record<string, Readonly<Record<string, string>>>>

describe.skipIf(dockerHostsMissing() !== null)('installing apps of the catalog on a Docker host', {timeout: 300_000}, () => {
  const hosts = sharedPart(() => startDockerHosts(1))
  let entries: AppDefinition[]
  beforeAll(async () => {
    entries = await Promise.all(ids.map(readEntry))
    await addStandIns(hosts.host(1), entries, {says: {mysql: `${contentKey}\n`, curl: '{"id":"ab01","layoutVersion":1,"x":1}\n'}})
  }, 300_000)

  async function startLab(apps: readonly unknown[] = entries): Promise<DeployLab> {
    const daemon = await startAppDaemon(apps)
    return onServer(daemon, hosts.host(1), await addServer(daemon, hosts, hosts.host(1)))
  }

  async function install({daemon, serverId}: DeployLab, templateId: string, more: object = {}): Promise<{readonly projectId: string; readonly slug: string}> {
    const {status, body} = await daemon.call('POST', '/api/apps', {templateId, serverId, ...more})
    expect(status, JSON.stringify(body)).toBe(200)
    return body.data as {projectId: string; slug: string}
  }

  /** What the containers of a project really have, by service. */
  async function environmentsOf(lab: DeployLab, slug: string): Promise<Environments> {
    const containers = Object.entries(await lab.containers(slug))
    const read = containers.map(async ([service, id]) => {
      const lines = JSON.parse(await lab.host.docker('inspect', '--format', '{{json .Config.Env}}', id)) as string[]
      return [service, Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]))] as const
    })
    return Object.fromEntries(await Promise.all(read))
  }

  /** A text of a definition as a container should have it. */
  function expected(text: string, {entry, environments, address}: {readonly entry: AppDefinition; readonly environments: Environments; readonly address: string}): string {
    return text
      .replace(/\{\{config:(\w+)\}\}/g, (_, key: string) => environments[entry.configFields?.find((field) => field.key === key)?.service ?? '']?.[key] ?? '')
      .replace(/\{\{publicUrl:([\w.-]+?)(?::(\d+))?\}\}/g, (_, name: string, port?: string) => {
        const service = entry.services?.find((candidate) => candidate.name === name)
        const mapping = service?.ports?.find((candidate) => candidate.endsWith(`:${port ?? service.exposedPort}`))
        return `http://${address}:${mapping?.split(':').at(-2)}`
      })
  }

  it.each(ids)('brings %s up whole: services, secrets, files and setup', async (id) => {
    const lab = await startLab()
    const entry = entries.find((candidate) => candidate.id === id) ?? entries[0]!
    const {projectId, slug} = await install(lab, id)
    const deployment = await lab.deploy(projectId)
    const log = await lab.log(deployment.id)
    expect(deployment, log).toMatchObject({status: 'ready', version: 1})

    const environments = await environmentsOf(lab, slug)
    expect(Object.keys(environments).sort()).toEqual((entry.services ?? []).map(({name}) => name).sort())
    const about = {entry, environments, address: lab.host.address}
    for (const {name, environment = {}} of entry.services ?? []) {
      for (const [key, text] of Object.entries(environment)) expect(environments[name]?.[key] ?? '', `${name} ${key}`).toBe(expected(text, about))
    }
    for (const {service, key, generate} of entry.configFields ?? []) {
      const value = environments[service]?.[key] ?? ''
      if (generate === 'secret') expect(value, `${service} ${key}`).toMatch(generated)
      const stored = await lab.daemon.call('POST', `/api/projects/${projectId}/services/${service}/env-reveal`, {keys: [key]})
      expect(stored.body.environment, `${service} ${key}`).toEqual(value === '' ? {} : {[key]: value})
    }
    const secrets = Object.values(environments).flatMap((environment) => Object.values(environment)).filter((value) => generated.test(value))
    for (const secret of secrets) expect(log).not.toContain(secret)

    const containers = await lab.containers(slug)
    for (const {service, path: target, content} of filesOf(entry)) {
      expect(await lab.host.docker('exec', containers[service] ?? '', 'cat', target), target).toBe(expected(content, about))
    }
    for (const step of entry.prepare ?? []) expect(log).toContain(`${typeof step.title === 'string' ? step.title : (step.title?.['en'] ?? step.capture)}: done`)
  })

  it('stores what steps capture and leaves those alone that are done once', async () => {
    const step = {service: 'web', phase: 'post-ready', readiness: {test: 'test -e /tmp/ready || { touch /tmp/ready; false; }', interval: 100}}
    const lab = await startLab([
      app('capture', {
        services: [{name: 'web', image: 'lab/web:1', restart: 'no'}],
        prepare: [
          {...step, command: 'echo "warning: old" >&2; echo "the key is <tr-5ecret-1>"', capture: 'key', capturePattern: '<([^>]+)>', persistAs: {key: 'API_KEY', secret: true}, once: true, title: {de: 'Schlüssel', en: 'Read the key'}},
          {...step, command: 'date >>/www/runs; wc -l </www/runs; echo "key $API_KEY" >&2', capture: 'runs', persistAs: {key: 'RUNS'}},
          {...step, command: 'exit 3', capture: 'broken', phase: 'post-start'},
          {...step, service: 'web', command: 'echo never', capture: 'early', phase: 'pre-deploy'},
        ],
      }),
    ])
    const {projectId, slug} = await install(lab, 'capture')
    const first = await lab.deploy(projectId)
    const log = await lab.log(first.id)
    expect(first, log).toMatchObject({status: 'ready'})
    expect(log).toContain('Read the key: done')
    expect(log).toContain('broken: the command ended with 3; the deployment goes on without it')
    expect(log).toContain('early: steps before a deployment are not run')
    expect(log).not.toContain('tr-5ecret-1')
    expect((await environmentsOf(lab, slug))['web']).not.toHaveProperty('API_KEY')
    const env = (await lab.daemon.call('GET', `/api/projects/${projectId}/env?services=true`)).body.data as {key: string; value: string; isSecret: boolean}[]
    expect(env.map(({key, value, isSecret}) => [key, isSecret ? 'secret' : value])).toEqual([['API_KEY', 'secret'], ['RUNS', '1']])

    const second = await lab.deploy(projectId)
    expect(await lab.log(second.id)).toContain('Read the key: done before')
    expect((await environmentsOf(lab, slug))['web']).toMatchObject({API_KEY: 'tr-5ecret-1', RUNS: '1'})
  })

  it('brings what was served before back where a step that has to succeed does not', async () => {
    const strict = (command: string) => app('strict', {
      services: [{name: 'web', image: 'lab/web:1', environment: {VERSION: '{{config:VERSION}}'}}], configFields: [{key: 'VERSION', service: 'web', label: 'Version', default: '1'}],
      prepare: [{service: 'web', command, capture: 'check', title: 'Check', mustSucceed: true}],
    })
    const lab = await startLab([strict('test "$VERSION" = 1 && echo fine || { echo "not ready for $VERSION" >&2; exit 7; }')])
    const {projectId, slug} = await install(lab, 'strict')
    const first = await lab.deploy(projectId)
    expect(first, await lab.log(first.id)).toMatchObject({status: 'ready'})
    const [service] = (await lab.daemon.call('GET', `/api/projects/${projectId}/services`)).body.services as {id: string}[]
    await lab.daemon.call('PUT', `/api/projects/${projectId}/services/${service?.id}/env`, {environment: 'production', vars: [{key: 'VERSION', value: '2'}]})
    const second = await lab.deploy(projectId)
    expect(second, await lab.log(second.id)).toMatchObject({status: 'failed', endReason: 'setup', restoredDeploymentId: first.id, errorMessage: expect.stringContaining('Check: the command ended with 7: not ready for 2')})
    expect((await environmentsOf(lab, slug))['web']).toMatchObject({VERSION: '1'})
  })
})
