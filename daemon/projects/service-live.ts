import type {serviceRoutes} from '../../src/contract/services.js'
import {Fault} from '../../src/contract/faults.js'
import type {Handlers, RequestContext} from '../http/handlers.js'
import type {ContainerFacts} from '../servers/engine/engine.js'
import type {Store} from '../store/store.js'
import {makeLinkNetworks, rejoinConsumers} from './connections/link-networks.js'
import {findOpenRelease} from './deployments/release-book.js'
import {composeArgs, projectFolder} from './deployments/release-folders.js'
import {Deployments} from './deployments/records.js'
import {getProject, getService} from './find-project.js'
import {deleteService} from './live/delete-service.js'
import {containersOf, matchContainers, projectContainers, type FoundContainer} from './live/find-containers.js'
import {findContainer, findRunning, findService, tell, type Found, type LiveParts} from './live/find-service.js'
import {parseSince} from './live/log-since.js'
import {engineOf, nothingDeployed, refuseWhileSwitching} from './live/project-place.js'
import {alarmsOf, type Alarm} from './live/service-health.js'
import {runInContainer} from './live/run-in-container.js'
import {followLogs, readLogs, type LogWish} from './live/service-logs.js'
import {createTerminalHandlers} from './live/service-terminal.js'
import {staleEnvKeys} from './live/stale-env.js'
import {servicesOf} from './service-handlers.js'

type LiveRoutes = Pick<typeof serviceRoutes, 'delete' | 'containers' | 'start' | 'stop' | 'restart' | 'logs' | 'logStream' | 'projectLogs' | 'projectLogStream' | 'exec' | 'terminal'>

/** The services of a project as they run. How they are described is in service-handlers.ts. */
export function createLiveHandlers(parts: LiveParts): Handlers<LiveRoutes> {
  const {store, clock} = parts
  return {
    ...createSwitchHandlers(parts),
    ...createTerminalHandlers(parts),

    async delete({params, query}, {principal, actor, signal}) {
      const project = await getProject(store, params.id, principal, 'admin')
      await deleteService(parts, {project, service: await getService(store, project.id, params.serviceId), wipeVolumes: query.wipeVolumes ?? false, actor, signal})
      return {success: true as const}
    },

    async containers({params}, {principal, signal}) {
      const project = await getProject(store, params.id, principal, 'read')
      const services = await servicesOf(store, project.id)
      const isThere = project.activeDeploymentId !== null || (await store.findOne(Deployments, 'slot', [project.id, 'active'])) !== undefined
      const containers = isThere ? await projectContainers(await engineOf(parts, project), project, signal) : []
      const alarms = await alarmsOf(store, project.id)
      return {success: true as const, containers: matchContainers(services, containers).map((found) => toContainerView(found, alarms))}
    },

    async logs({params, query}, request) {
      return {data: await readLogs(await logWish(parts, params, {query, request}))}
    },

    async logStream({params, query}, request) {
      return followLogs(await logWish(parts, params, {query, request}))
    },

    async projectLogs({params, query}, request) {
      return {data: await readLogs(await logWish(parts, {...params, serviceId: await mainService(store, params.id, request)}, {query, request}))}
    },

    async projectLogStream({params, query}, request) {
      return followLogs(await logWish(parts, {...params, serviceId: await mainService(store, params.id, request)}, {query, request}))
    },

    async exec({params, body}, request) {
      const {engine, project, service, container} = await findRunning(parts, params, request)
      const {command, cwd, timeoutMs, maxOutputBytes} = body
      const data = await runInContainer({engine, clock}, container.id, {command, cwd, timeoutMs, maxOutputBytes, signal: request.signal})
      const {exitCode, timedOut, durationMs} = data
      await tell(parts, {project, request, type: 'service.command_run', payload: {after: {service: service.name, containerId: container.id, commandBytes: Buffer.byteLength(command), exitCode, timedOut, durationMs}}})
      return {data}
    },
  }
}

function createSwitchHandlers(parts: LiveParts): Handlers<Pick<LiveRoutes, 'start' | 'stop' | 'restart'>> {
  const {store} = parts
  const told = async (action: string, {project, service}: Found, request: RequestContext) =>
    tell(parts, {project, request, type: 'service.changed', payload: {after: {service: service.name, action}}})
  return {
    async start({params}, request) {
      const found = await findService(parts, params, {verb: 'write', request})
      await refuseWhileSwitching(store, found.project)
      const container = found.match.container ?? (await makeContainer(parts, found, request.signal))
      await found.engine.start(container.id, {signal: request.signal})
      await told('start', found, request)
      return {success: true as const, containerId: container.id}
    },

    async stop({params}, request) {
      const found = await findContainer(parts, params, {verb: 'write', request})
      await refuseWhileSwitching(store, found.project)
      await Promise.all([found.container, ...found.match.duplicates].map(({id}) => found.engine.stop(id, {signal: request.signal})))
      await told('stop', found, request)
      return {success: true as const, containerId: found.container.id}
    },

    async restart({params, query}, request) {
      const found = await findContainer(parts, params, {verb: 'write', request})
      const {project, service, engine, container} = found
      await refuseWhileSwitching(store, project)
      const stale = query.force === true ? [] : await staleEnvKeys(parts, project, service)
      if (stale.length > 0) {
        throw new Fault('SERVICE_CONFIG_STALE', `${stale.join(', ')} of ${service.name} changed since its container was made; a restart does not apply them`, {
          details: {staleEnvKeys: stale, serviceName: service.name},
          suggestions: [`deploy ${project.slug} --refresh`, `services restart ${project.slug}/${service.name} --force`],
        })
      }
      await engine.restart(container.id, {signal: request.signal})
      await told('restart', found, request)
      return {success: true as const, containerId: container.id}
    },
  }
}

interface LogQuery {
  readonly query: {readonly tail?: number | undefined; readonly since?: string | undefined}
  readonly request: RequestContext
}

async function logWish(parts: LiveParts, params: {readonly id: string; readonly serviceId: string}, {query, request}: LogQuery): Promise<LogWish> {
  const since = query.since === undefined ? undefined : parseSince(query.since, parts.clock.now())
  const {engine, service, container} = await findContainer(parts, params, {verb: 'read', request})
  return {engine, containerId: container.id, serviceName: service.name, tail: query.tail, since, signal: request.signal}
}

// The one that people reach from outside, else the first.
async function mainService(store: Store, projectId: string, {principal}: RequestContext): Promise<string> {
  const project = await getProject(store, projectId, principal, 'read')
  const services = (await servicesOf(store, project.id)).filter(({enabled}) => enabled)
  const main = services.find(({exposed}) => exposed) ?? services.find(({ports}) => ports.length > 0) ?? services[0]
  if (main === undefined) throw nothingDeployed(project)
  return main.id
}

// Somebody removed it by hand: Compose makes it again as the release has it.
async function makeContainer({store, sealer}: LiveParts, {engine, project, service}: Found, signal: AbortSignal): Promise<ContainerFacts> {
  const facts = await engine.facts({signal})
  const link = {engine, signal, onLine: () => undefined}
  await makeLinkNetworks((await findOpenRelease(store, sealer, project.activeDeploymentId))?.model.networks ?? [], link)
  const {exitCode, stderr} = await engine.compose(composeArgs(project, 'up', '-d', '--no-build', '--no-deps', service.name), {cwd: projectFolder(facts, project), signal})
  const container = containersOf(service, [service], await projectContainers(engine, project, signal)).container
  if (exitCode === 0 && container !== undefined) {
    await rejoinConsumers(project, link)
    return container
  }
  throw new Fault('NOTHING_DEPLOYED', `${service.name} has no container, and none can be made: ${stderr.trim().split('\n').at(-1) ?? ''}`, {suggestions: [`deploy ${project.slug}`]})
}

function toContainerView({serviceId, serviceName, container, matchedBy, duplicates}: FoundContainer, alarms: readonly Alarm[]) {
  const {id = null, state = 'none', health = null, startedAt = null, exitCode = null, imageRef = null, addresses = {}, ports = [], restartCount = 0} = container ?? {}
  return {
    serviceId, serviceName, containerId: id, status: state, health, ip: Object.values(addresses)[0] ?? null, hostPort: ports[0]?.hostPort ?? null, imageRef, matchedBy,
    duplicates: duplicates.map((duplicate) => duplicate.id), startedAt, exitCode,
    restartCount, unhealthyReason: alarms.find((alarm) => alarm.containerId === id)?.reason ?? null,
  }
}
