import type {ComposeNetwork} from '../../../src/compose/compose-model.js'
import {Fault} from '../../../src/contract/faults.js'
import {toInstant, type Clock} from '../../clock.js'
import type {Store} from '../../store/store.js'
import {changeEnv} from '../env-book.js'
import {Projects, type ProjectRecord} from '../records.js'
import {toLinkNetwork} from './link-networks.js'
import type {PortParts} from './published-ports.js'
import {Links, type LinkRecord} from './records.js'
import {resolveLink, type LinkValue} from './resolve-link.js'

export interface FollowParts extends PortParts {
  readonly store: Store
  readonly clock: Clock
}

export interface FollowWish {
  readonly project: ProjectRecord
  readonly signal: AbortSignal
  readonly warn: (line: string) => void
}

interface Followed {
  readonly link: LinkRecord
  readonly source: ProjectRecord
  readonly value: LinkValue
}

export interface FollowedLinks {
  readonly networks: readonly ComposeNetwork[]
  /** What was handed over. */
  readonly values: readonly string[]
}

/** Brings what a project has of others to their values of now; answers the networks that it needs to reach them. A value that can not be read now stays as it was. */
export async function followLinks(parts: FollowParts, {project, signal, warn}: FollowWish): Promise<FollowedLinks> {
  const followed: Followed[] = []
  for (const link of await parts.store.find(Links, 'target', [project.id])) {
    const source = await parts.store.get(Projects, link.sourceProjectId)
    if (source === undefined) continue
    try {
      followed.push({link, source, value: await resolveLink(parts, {source, target: project, outputId: link.outputId, mode: link.mode, signal})})
    } catch (error) {
      if (!(error instanceof Fault) || error.code !== 'CONNECTION_REFUSED') throw error
      warn(`${link.envKey} keeps the value it had: ${error.message}`)
    }
  }
  await writeValues(parts, project, followed)
  return {networks: networksOf(project, followed), values: followed.map(({value: {value}}) => value)}
}

async function writeValues({store, sealer, clock}: FollowParts, project: ProjectRecord, followed: readonly Followed[]): Promise<void> {
  if (followed.length === 0) return
  await store.transaction(async (transaction) => {
    const there = new Set((await transaction.find(Links, 'target', [project.id])).map(({id}) => id))
    const upserts = followed.filter(({link}) => there.has(link.id)).map(({link, value}) => ({key: link.envKey, value: value.value, isSecret: true}))
    await changeEnv(transaction, sealer, {scope: linkScope(project), change: {upserts, deletes: []}, now: toInstant(clock.now())})
  })
}

/** Where the values of links are kept: with the project, in production. */
export function linkScope({id, organizationId}: Pick<ProjectRecord, 'id' | 'organizationId'>) {
  return {organizationId, projectId: id, serviceId: null, environment: 'production' as const}
}

function networksOf(project: ProjectRecord, followed: readonly Followed[]): ComposeNetwork[] {
  const bySource = new Map<string, {readonly source: ProjectRecord; readonly hosts: Map<string, string>}>()
  for (const {source, value: {reach}} of followed) {
    if (reach === null) continue
    const entry = bySource.get(source.id) ?? {source, hosts: new Map<string, string>()}
    entry.hosts.set(reach.service, reach.host)
    bySource.set(source.id, entry)
  }
  return [...bySource.values()].map(({source, hosts}) => toLinkNetwork(project, source, hosts))
}
