import type {Link} from '../../../src/contract/app-projects.js'
import type {Principal} from '../../access/principal.js'
import {allows} from '../../access/decide.js'
import {toInstant, type Clock} from '../../clock.js'
import type {RecordEvent} from '../../events/event-log.js'
import type {Actor} from '../../events/record.js'
import {newId} from '../../store/ids.js'
import type {Store, StoreReader, Transaction} from '../../store/store.js'
import {changeEnv} from '../env-book.js'
import {getProject, projectRef} from '../find-project.js'
import {EnvVars, Projects, type ProjectRecord} from '../records.js'
import {linkScope} from './follow-links.js'
import type {PortParts} from './published-ports.js'
import {Links, type LinkRecord} from './records.js'
import {refuseConnection, resolveLink, type LinkMode} from './resolve-link.js'
import {shadowedBy} from './shadowed-by.js'

export interface ConnectParts extends PortParts {
  readonly store: Store
  readonly clock: Clock
  readonly recordEvent: RecordEvent
}

export interface ConnectWish {
  readonly targetId: string
  readonly sourceId: string
  readonly items: readonly {readonly outputId: string; readonly envKey: string}[]
  readonly mode: LinkMode | undefined
  readonly principal: Principal
  readonly actor: Actor
  readonly signal: AbortSignal
}

/** Gives a project values of another one of its organization, as secrets of the whole project; all of them or none. */
export async function connectProjects(parts: ConnectParts, wish: ConnectWish): Promise<Link[]> {
  const {store} = parts
  const target = await getProject(store, wish.targetId, wish.principal, 'write')
  const source = await getSource(store, wish, target)
  const repeated = wish.items.find(({envKey}, index) => wish.items.findIndex((item) => item.envKey === envKey) !== index)
  if (repeated !== undefined) throw refuseConnection('key-taken', `${repeated.envKey} is there twice`)
  const resolved = await Promise.all(wish.items.map(async (item) => ({...item, ...(await resolveLink(parts, {source, target, outputId: item.outputId, mode: wish.mode, signal: wish.signal}))})))
  return store.transaction(async (transaction) => {
    const present = await getProject(transaction, target.id, wish.principal, 'write')
    // It may have been deleted while its server was asked.
    await getSource(transaction, wish, present)
    for (const {envKey} of resolved) await refuseTakenKey(transaction, present, envKey)
    const now = toInstant(parts.clock.now())
    const upserts = resolved.map(({envKey, value}) => ({key: envKey, value, isSecret: true}))
    await changeEnv(transaction, parts.sealer, {scope: linkScope(present), change: {upserts, deletes: []}, now})
    const links = resolved.map(({outputId, envKey, mode}): LinkRecord => ({
      id: newId('lnk'), organizationId: present.organizationId, sourceProjectId: source.id, targetProjectId: present.id, outputId, envKey, mode, createdAt: now,
    }))
    for (const link of links) await transaction.insert(Links, link)
    await tellLinks(parts, transaction, {target: present, actor: wish.actor, payload: {after: {connected: links.map(({envKey}) => envKey), sourceProjectId: source.id}}})
    return Promise.all(links.map((link) => toLinkView({store: transaction, sealer: parts.sealer}, link, source)))
  })
}

// What is missing, of another organization or not to be seen is the same. Its values can be read where they go, so they take what revealing them takes.
async function getSource(store: StoreReader, {sourceId, principal}: ConnectWish, target: ProjectRecord): Promise<ProjectRecord> {
  if (sourceId === target.id) throw refuseConnection('itself', `${target.name} can not be connected to itself`)
  const source = await store.get(Projects, sourceId)
  if (source === undefined || source.deletionInProgress || !allows(principal, projectRef(source), 'write')) throw refuseConnection('source-unknown', `there is no project ${sourceId} to connect to`)
  return source
}

async function refuseTakenKey(transaction: Transaction, target: ProjectRecord, envKey: string): Promise<void> {
  const link = await transaction.findOne(Links, 'key', [target.id, envKey])
  if (link !== undefined) {
    const from = (await transaction.get(Projects, link.sourceProjectId))?.name ?? link.sourceProjectId
    throw refuseConnection('key-taken', `${envKey} of ${target.name} comes from ${from} already; disconnect it first`)
  }
  const set = (await transaction.find(EnvVars, 'project', [target.id])).some(({key, environment}) => key === envKey && environment === 'production')
  if (set) throw refuseConnection('key-taken', `${envKey} of ${target.name} was set by hand; delete it first`)
}

interface Told {
  readonly target: ProjectRecord
  readonly actor: Actor
  readonly payload: Readonly<Record<string, unknown>>
}

async function tellLinks({recordEvent}: Pick<ConnectParts, 'recordEvent'>, transaction: Transaction, {target, actor, payload}: Told): Promise<void> {
  await recordEvent(transaction, {type: 'project.env_changed', organizationId: target.organizationId, resourceType: 'project', resourceId: target.id, actor, payload})
}

export async function toLinkView(parts: Parameters<typeof shadowedBy>[0], {organizationId: _organization, createdAt: _at, ...link}: LinkRecord, source: Pick<ProjectRecord, 'name' | 'appTemplateId'> | undefined): Promise<Link> {
  return {...link, sourceName: source?.name ?? '', sourceAppTemplateId: source?.appTemplateId ?? null, shadowedBy: await shadowedBy(parts, link.targetProjectId, link.envKey)}
}

/** Takes a link away again, and the variable that it wrote. */
export async function disconnectLink(parts: Pick<ConnectParts, 'sealer' | 'clock' | 'recordEvent'>, transaction: Transaction, {link, actor}: {readonly link: LinkRecord; readonly actor: Actor}): Promise<void> {
  await transaction.delete(Links, link.id)
  const target = await transaction.get(Projects, link.targetProjectId)
  if (target === undefined) return
  await changeEnv(transaction, parts.sealer, {scope: linkScope(target), change: {upserts: [], deletes: [link.envKey]}, now: toInstant(parts.clock.now())})
  await tellLinks(parts, transaction, {target, actor, payload: {after: {disconnected: [link.envKey], sourceProjectId: link.sourceProjectId}}})
}
