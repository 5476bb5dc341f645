import {Fault, invalidInput} from '../../src/contract/faults.js'
import type {serverRoutes} from '../../src/contract/servers.js'
import {allows, isAtLeast} from '../access/decide.js'
import type {Principal} from '../access/principal.js'
import {toInstant, type Clock} from '../clock.js'
import type {RecordEvent} from '../events/event-log.js'
import type {Handlers} from '../http/handlers.js'
import {newId} from '../store/ids.js'
import type {Store, StoreReader} from '../store/store.js'
import type {Sealer} from '../store/secrets.js'
import {getServer, serverRef} from './find-server.js'
import {addressOf, probeTarget, wayOf, type Probe, type Prober} from './probe.js'
import {Servers, type ServerRecord} from './records.js'
import {connectsDifferently, refusePasswordElsewhere, refuseStoredSecretElsewhere, refuseTaken, withInput, type ConnectionInput} from './server-input.js'
import {toTarget} from './server-target.js'
import {toServerView} from './server-view.js'

export type ServerRecordRoutes = Pick<
  typeof serverRoutes,
  'list' | 'create' | 'show' | 'update' | 'delete' | 'reachability' | 'deletionPreview' | 'testConnection'
>

/** What a server's end would touch. */
export interface ServerUse {
  readonly jobs: readonly {readonly key: string; readonly label: string}[]
  readonly activeRuns: readonly string[]
  readonly projects: readonly {readonly id: string; readonly name: string; readonly isApp: boolean}[]
  readonly activeDeployments: readonly string[]
}

export interface ServerParts {
  readonly store: Store
  readonly clock: Clock
  readonly sealer: Sealer
  readonly recordEvent: RecordEvent
  readonly pool: Prober & {drop(serverId: string): void}
  readonly useOf: (reader: StoreReader, server: Pick<ServerRecord, 'id' | 'organizationId' | 'isLocal'>) => Promise<ServerUse>
}

export function createServerHandlers(parts: ServerParts): Handlers<ServerRecordRoutes> {
  const {store, clock, sealer, recordEvent, pool} = parts
  const probe = async (server: ServerRecord, signal: AbortSignal) => probeTarget(pool, clock, await toTarget(store, sealer, server), signal)
  const view = async (server: ServerRecord) => toServerView(server, (await parts.useOf(store, server)).projects.length)
  return {
    async list(_input, {principal}) {
      const servers = await store.find(Servers, 'organization', [principal.organizationId])
      return Promise.all(servers.filter((server) => allows(principal, serverRef(server), 'read')).map(view))
    },

    async create({body}, {principal, actor, signal}) {
      if (!allows(principal, {type: 'server', id: '*', organizationId: principal.organizationId}, 'write')) throw notFound()
      refuseBilling(principal, body)
      const wished = withInput(sealer, blankServer(principal.organizationId, toInstant(clock.now())), body)
      await refuseTaken(store, wished)
      const server = withPins(wished, await probe(wished, signal))
      await store.transaction(async (transaction) => {
        await refuseTaken(transaction, server)
        await transaction.insert(Servers, server)
        await recordEvent(transaction, {...eventOf(server, actor), type: 'server.added', payload: {after: summaryOf(server)}})
      })
      return toServerView(server, 0)
    },

    async show({params}, {principal}) {
      return view(await getServer(store, params.id, principal, 'read'))
    },

    async update({params, body}, {principal, actor, signal}) {
      const before = await getServer(store, params.id, principal, 'write')
      refuseBilling(principal, body)
      const connecting = Object.keys(body).filter((field) => field !== 'name' && field !== 'workspaceId' && field !== 'powerState')
      if (before.isLocal && connecting.length > 0) {
        throw new Fault('LOCAL_SERVER', 'the local machine is not reached over SSH: only its name can be changed', {details: {fields: connecting}})
      }
      if (Object.keys(body).length === 0) throw invalidInput([{path: '/', message: 'give at least one field to change'}])
      const wished = withInput(sealer, {...before, updatedAt: toInstant(clock.now())}, body)
      refusePasswordElsewhere(before, wished)
      const moved = connectsDifferently(before, wished)
      const pins = moved && !before.isLocal ? withPins(wished, await probe(wished, signal)) : wished
      const server = await store.transaction(async (transaction) => {
        // Between the look and the write somebody else may have changed it; what was sent wins, field by field.
        const current = await getServer(transaction, params.id, principal, 'write')
        const changed = {...withInput(sealer, current, body), hostKeyFingerprint: pins.hostKeyFingerprint, jumpHostKeys: pins.jumpHostKeys, updatedAt: pins.updatedAt}
        await refuseTaken(transaction, changed)
        await transaction.put(Servers, changed)
        await recordEvent(transaction, {...eventOf(changed, actor), type: 'server.updated', payload: {before: summaryOf(before), after: summaryOf(changed)}})
        return changed
      })
      if (moved) pool.drop(server.id)
      return view(server)
    },

    async delete({params, query}, {principal, actor}) {
      const workloads = await store.transaction(async (transaction) => {
        const server = await getServer(transaction, params.id, principal, 'admin')
        if (server.isLocal) throw new Fault('LOCAL_SERVER', 'the local machine can not be deleted')
        const {jobs, projects, activeDeployments} = await parts.useOf(transaction, server)
        if (jobs.length > 0 && query.force !== true) {
          throw new Fault('SERVER_IN_USE', `${jobs.length === 1 ? 'a job names' : `${jobs.length} jobs name`} this server; change them, or delete with force`, {
            details: {jobs}, suggestions: jobs.slice(0, 3).map((job) => `jobs show ${job.key}`),
          })
        }
        const [going] = activeDeployments
        if (going !== undefined && query.force !== true) {
          throw new Fault('SERVER_IN_USE', 'a deployment is going on there; wait for it, or delete with force', {details: {jobs, deploymentIds: activeDeployments}, suggestions: [`deployments watch ${going}`]})
        }
        await transaction.delete(Servers, server.id)
        await recordEvent(transaction, {...eventOf(server, actor), type: 'server.removed', payload: {before: summaryOf(server)}})
        return toWorkloads(projects, principal)
      })
      pool.drop(params.id)
      return {ok: true as const, serverRemoved: true as const, destroyOnSource: query.destroyOnSource ?? false, workloads, removed: []}
    },

    async reachability({params}, {principal, signal}) {
      const server = await getServer(store, params.id, principal, 'read')
      if (server.isLocal) {
        return {reachable: true, code: 'reachable' as const, target: 'localhost', port: 22, message: 'this is the machine of the daemon', hint: null, rule: null, channel: 'local' as const, latencyMs: 0}
      }
      const target = await toTarget(store, sealer, server)
      const {ok, code, message, hint, latencyMs} = await probeTarget(pool, clock, target, signal)
      return {reachable: ok, code, ...addressOf(target), message, hint, rule: null, channel: wayOf(target), latencyMs}
    },

    async deletionPreview({params}, {principal, signal}) {
      const server = await getServer(store, params.id, principal, 'read')
      const {jobs, activeRuns, projects} = await parts.useOf(store, server)
      const reachable = server.isLocal || (await probe(server, signal)).ok
      return {
        ok: true as const,
        preview: {
          workloads: toWorkloads(projects, principal), projectCount: projects.length, appCount: projects.filter(({isApp}) => isApp).length, jobs: [...jobs], activeRuns: [...activeRuns], alsoRemoved: [],
          alsoUnbound: jobs.map((job) => job.key), reachable,
        },
      }
    },

    async testConnection({body}, {principal, signal}) {
      if (!isAtLeast(principal.role, 'admin')) throw new Fault('INSUFFICIENT_ROLE', 'only owners and administrators may try connections')
      const {serverId, ...input} = body
      const base = serverId === undefined ? blankServer(principal.organizationId, toInstant(clock.now())) : await getServer(store, serverId, principal, 'admin')
      if (base.isLocal) throw new Fault('LOCAL_SERVER', 'the local machine is not reached over SSH')
      if (serverId === undefined && input.sshHost === undefined) throw invalidInput([{path: '/sshHost', message: 'is required'}])
      const tried = withInput(sealer, base, input)
      if (serverId !== undefined) refuseStoredSecretElsewhere(base, tried)
      const {ok, code, message, hint, hostKeyFingerprint, jumpHostKeys} = await probe(tried, signal)
      return {ok, code, message, hint, hostKeyFingerprint, jumpHostKeys}
    },
  }
}

// What runs on a machine stays there. Nobody hears the name of a project that he may not see.
function toWorkloads(projects: ServerUse['projects'], principal: Principal) {
  const seen = projects.filter(({id}) => allows(principal, {type: 'project', id, organizationId: principal.organizationId}, 'read'))
  return seen.map(({id, name, isApp}) => ({type: isApp ? 'app' : 'project', id, name}))
}

const notFound = () => new Fault('NOT_FOUND', 'Not found')

// Who could say himself who pays, or that a machine is running, would never be refused.
function refuseBilling(principal: Principal, input: ConnectionInput): void {
  if (((input.workspaceId ?? null) !== null || input.powerState !== undefined) && !principal.instanceAdmin) {
    throw new Fault('INSTANCE_ADMIN_REQUIRED', 'only an administrator of the instance sets workspaceId and powerState')
  }
}

function blankServer(organizationId: string, now: string): ServerRecord {
  return {
    id: newId('srv'), organizationId, name: null, isLocal: false, sshHost: '', sshPort: 22, sshUser: 'root', sshAuthMethod: null, sshPassword: null,
    sshPrivateKey: null, sshKeyPassphrase: null, sshKeyPath: null, sshJumpHost: null, sshArgs: null, hostKeyFingerprint: null,
    hostKeyConfirmed: false, jumpHostKeys: [], workspaceId: null, powerState: 'unknown', country: null, createdAt: now, updatedAt: now,
  }
}

/** Keys that answered become pins where there are none. A key that differs from a pin refuses the whole change. */
function withPins(server: ServerRecord, probe: Probe): ServerRecord {
  if (probe.keyFault !== null) throw probe.keyFault
  const jumpHostKeys = server.jumpHostKeys.length > 0 ? server.jumpHostKeys : probe.jumpHostKeys
  return {...server, hostKeyFingerprint: server.hostKeyFingerprint ?? probe.hostKeyFingerprint, jumpHostKeys}
}

function eventOf<A>(server: ServerRecord, actor: A) {
  return {organizationId: server.organizationId, resourceType: 'server', resourceId: server.id, actor}
}

// For the audit trail: never a credential.
function summaryOf({name, sshHost, sshPort, sshUser, sshAuthMethod, hostKeyFingerprint, hostKeyConfirmed}: ServerRecord) {
  return {name, sshHost, sshPort, sshUser, sshAuthMethod, hostKeyFingerprint, hostKeyConfirmed}
}
