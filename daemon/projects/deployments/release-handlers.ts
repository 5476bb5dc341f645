import {Fault} from '../../../src/contract/faults.js'
import type {deploymentRoutes} from '../../../src/contract/deployments.js'
import {labelNames} from '../../../src/compose/release.js'
import {toInstant, type Clock} from '../../clock.js'
import type {Handlers} from '../../http/handlers.js'
import type {ContainerFacts, Engines} from '../../servers/engine/engine.js'
import type {OutputStore} from '../../store/output.js'
import type {Sealer} from '../../store/secrets.js'
import type {Store} from '../../store/store.js'
import {Projects} from '../records.js'
import {getDeployment} from './deployment-access.js'
import {toDeploymentView} from './deployment-view.js'
import {removeRelease} from './prune-releases.js'
import {Deployments, Releases, ServiceOutcomes, type DeploymentRecord} from './records.js'
import {findOpenRelease, type OpenRelease} from './release-book.js'
import {rejectRelease, untilRestored, type RejectParts} from './reject-release.js'
import {diffReleases} from './release-diff.js'
import {readUsage} from '../live/read-usage.js'
import {planRestore} from './restore-plan.js'

type Routes = Pick<typeof deploymentRoutes, 'restorePlan' | 'diff' | 'pin' | 'reject' | 'restart' | 'delete' | 'info' | 'usage'>

export interface ReleaseHandlerParts extends RejectParts {
  readonly store: Store
  readonly outputs: OutputStore
  readonly clock: Clock
  readonly sealer: Sealer
  readonly engines: Engines
}

/** What is asked of releases, and done with them without a new deployment. */
export function createReleaseHandlers(parts: ReleaseHandlerParts): Handlers<Routes> {
  const {store, outputs, clock, engines} = parts
  return {
    async restorePlan({params}, {principal, signal}) {
      return {data: await planRestore(parts, await getDeployment(store, params.id, principal, 'read'), signal)}
    },

    async diff({params, query}, {principal}) {
      const to = await getDeployment(store, params.id, principal, 'read')
      const from = await getDeployment(store, query.against, principal, 'read')
      if (from.projectId !== to.projectId) throw new Fault('CONFLICT', 'the two deployments are of different projects')
      return {data: {from: from.id, to: to.id, ...diffReleases({record: from, release: await openKept(parts, from)}, {record: to, release: await openKept(parts, to)})}}
    },

    async pin({params, body}, {principal}) {
      const record = await store.transaction(async (transaction) => {
        const before = await getDeployment(transaction, params.id, principal, 'write')
        if (body.pinned && !before.retained) throw new Fault('CONFLICT', `the images and files of ${before.id} are not kept any more`)
        const pinned = {...before, pinned: body.pinned, updatedAt: toInstant(clock.now())}
        await transaction.put(Deployments, pinned)
        return pinned
      })
      return {data: await toDeploymentView(store, record)}
    },

    async reject({params, body}, {principal, actor, signal}) {
      const rejected = await store.transaction((transaction) => rejectRelease(parts, transaction, {id: params.id, principal, actor}))
      if (body.wait) await untilRestored(parts, rejected, signal)
      return {success: true as const, restoredDeploymentId: rejected.predecessor.id, deployment_id: rejected.restoring.id, project_id: rejected.restoring.projectId}
    },

    async restart({params}, {principal, signal}) {
      const record = await getDeployment(store, params.id, principal, 'write')
      const project = await store.get(Projects, record.projectId)
      if (project === undefined || project.activeDeploymentId !== record.id) {
        throw new Fault('NOTHING_DEPLOYED', `${record.id} is not the release that is served`, {suggestions: [`deployments list --project ${project?.slug ?? record.projectId}`]})
      }
      const engine = await engines.engineFor(record.serverId)
      for (const {id} of await engine.containers({[labelNames.project]: record.projectId}, {signal})) await engine.restart(id, {signal})
      return {data: await toDeploymentView(store, record)}
    },

    async delete({params}, {principal, signal}) {
      const {record, release, project, kept} = await store.transaction(async (transaction) => {
        const found = await getDeployment(transaction, params.id, principal, 'admin')
        const project = await transaction.get(Projects, found.projectId)
        const going = found.retained ? await transaction.findOne(Deployments, 'slot', [found.projectId, 'active']) : undefined
        if (going !== undefined) throw new Fault('DEPLOYMENT_NOT_FINISHED', `${going.id} is going on and may need what ${found.id} keeps`, {suggestions: [`deployments watch ${going.id}`]})
        if (found.slot !== null || project?.activeDeploymentId === found.id) {
          throw new Fault('DEPLOYMENT_NOT_FINISHED', found.slot === null ? `${found.id} is the release that is served` : `${found.id} is still going on`, {suggestions: found.slot === null ? [] : [`deployments cancel ${found.id}`]})
        }
        for (const outcome of await transaction.find(ServiceOutcomes, 'deployment', [found.id])) await transaction.delete(ServiceOutcomes, outcome.id)
        const gone = await transaction.get(Releases, found.id)
        await transaction.delete(Releases, found.id)
        await transaction.delete(Deployments, found.id)
        return {record: found, release: gone, project, kept: await transaction.find(Releases, 'project', [found.projectId])}
      })
      await outputs.remove(record.id)
      if (release === undefined || project === undefined) return {success: true as const, message: 'Deployment deleted'}
      try {
        await removeRelease(parts, project, {release, kept, signal: AbortSignal.any([signal, AbortSignal.timeout(longestCleanUpMs)])})
        return {success: true as const, message: 'Deployment deleted'}
      } catch (error) {
        signal.throwIfAborted()
        return {success: true as const, message: `Deployment deleted; its images and files may be left on the server: ${error instanceof Error ? error.message : String(error)}`}
      }
    },

    async info({params}, {principal, signal}) {
      const record = await getDeployment(store, params.id, principal, 'read')
      const engine = await engines.engineFor(record.serverId)
      const containers = await engine.containers({[labelNames.project]: record.projectId}, {signal})
      const main = containers.find(({ports}) => ports.length > 0) ?? containers[0]
      return {data: main === undefined ? {containerId: null, status: 'none'} : toInfo(main, clock.now())}
    },

    async usage({params}, {principal, signal}) {
      const record = await getDeployment(store, params.id, principal, 'read')
      return {data: await readUsage(await engines.engineFor(record.serverId), record.projectId, signal)}
    },
  }
}

// A server that does not answer keeps nobody from deleting.
const longestCleanUpMs = 20_000

async function openKept({store, sealer}: ReleaseHandlerParts, record: DeploymentRecord): Promise<OpenRelease> {
  const release = await findOpenRelease(store, sealer, record.id)
  if (release === undefined) throw new Fault('CONFLICT', `nothing is kept of ${record.id} that could be compared: ${record.status === 'ready' ? 'it is older than the releases that are kept' : 'it never went live'}`)
  return release
}

function toInfo({id, state, addresses, ports, startedAt}: ContainerFacts, nowMs: number) {
  const [ip] = Object.values(addresses)
  const [port] = ports
  const uptime = startedAt === null ? undefined : Math.max(0, (nowMs - Date.parse(startedAt)) / 1000)
  return {
    containerId: id, status: state,
    ...(ip !== undefined && {ip}),
    ...(port !== undefined && {hostPort: port.hostPort, hostPortByContainerPort: Object.fromEntries(ports.map(({containerPort, hostPort}) => [String(containerPort), hostPort]))}),
    ...(uptime !== undefined && {uptimeSeconds: Math.round(uptime)}),
  }
}
