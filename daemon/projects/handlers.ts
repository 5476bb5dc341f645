import {Fault, invalidInput} from '../../src/contract/faults.js'
import type {Project, projectRoutes} from '../../src/contract/projects.js'
import {allows, allowsCreate} from '../access/decide.js'
import {grantCreated} from '../access/grant-created.js'
import type {Principal} from '../access/principal.js'
import {toInstant, type Clock} from '../clock.js'
import type {RecordEvent} from '../events/event-log.js'
import type {Handlers} from '../http/handlers.js'
import {listPage} from '../http/pages.js'
import {newId} from '../store/ids.js'
import type {Store, StoreReader, Transaction} from '../store/store.js'
import {Projects, type ProjectRecord} from './records.js'

export interface ProjectParts {
  readonly store: Store
  readonly clock: Clock
  readonly recordEvent: RecordEvent
}

export function createProjectHandlers({store, clock, recordEvent}: ProjectParts): Handlers<typeof projectRoutes> {
  return {
    async list({query}, {principal}) {
      const where = (project: ProjectRecord) => allows(principal, refOf(project), 'read')
      const {data, ...rest} = await listPage(store, {collection: Projects, index: 'organization', key: [principal.organizationId], where}, query)
      return {...rest, data: data.map(toProjectView)}
    },

    async create({body}, {principal, actor}) {
      if (!allowsCreate(principal, 'project')) throw notFound()
      const project = await store.transaction(async (transaction) => {
        const created = projectOf(body, principal, toInstant(clock.now()))
        await refuseTaken(transaction, created)
        await transaction.insert(Projects, created)
        await grantCreated(transaction, principal, {resourceType: 'project', resourceId: created.id})
        await recordEvent(transaction, {
          type: 'project.created', organizationId: created.organizationId, resourceType: 'project', resourceId: created.id, actor,
          payload: {after: {name: created.name, slug: created.slug}},
        })
        return created
      })
      return {data: toProjectView(project)}
    },

    async show({params}, {principal}) {
      return {data: toProjectView(await getProject(store, params.id, principal, 'read'))}
    },

    async delete({params}, {principal, actor}) {
      await store.transaction(async (transaction) => {
        const project = await getProject(transaction, params.id, principal, 'admin')
        await transaction.delete(Projects, project.id)
        await recordEvent(transaction, {
          type: 'project.deleted', organizationId: project.organizationId, resourceType: 'project', resourceId: project.id, actor,
          payload: {before: {name: project.name, slug: project.slug}},
        })
      })
      return {ok: true as const, message: 'Project deleted', steps: [{step: 'delete_db_row', status: 'ok' as const}], orphaned: [], unlinked: []}
    },
  }
}

const notFound = () => new Fault('NOT_FOUND', 'Not found')

function refOf(project: ProjectRecord) {
  return {type: 'project' as const, id: project.id, organizationId: project.organizationId}
}

/** A project that the principal may act on, or NOT_FOUND: missing, foreign and not covered look the same. */
export async function getProject(reader: StoreReader, id: string, principal: Principal, verb: 'read' | 'write' | 'admin'): Promise<ProjectRecord> {
  const project = await reader.get(Projects, id)
  if (project === undefined || !allows(principal, refOf(project), verb)) throw notFound()
  return project
}

interface ProjectWish {
  readonly name: string
  readonly slug?: string | undefined
  readonly gitOwner?: string | undefined
  readonly gitRepo?: string | undefined
  readonly gitBranch?: string | undefined
  readonly framework?: string | undefined
  readonly localPath?: string | undefined
  readonly port?: number | undefined
  readonly projectType?: Project['projectType'] | undefined
}

function projectOf(wish: ProjectWish, principal: Principal, now: string): ProjectRecord {
  const slug = wish.slug ?? toSlug(wish.name)
  if (slug === '') throw invalidInput([{path: '/name', message: 'needs a letter or digit, or give a slug'}])
  return {
    id: newId('proj'),
    organizationId: principal.organizationId,
    name: wish.name,
    slug,
    projectType: wish.projectType ?? 'app',
    environmentName: 'Production',
    environmentSlug: 'production',
    environmentType: 'production',
    framework: wish.framework ?? 'unknown',
    gitOwner: wish.gitOwner ?? null,
    gitRepo: wish.gitRepo ?? null,
    gitBranch: wish.gitBranch ?? 'main',
    localPath: wish.localPath ?? null,
    port: wish.port ?? 3000,
    autoDeploy: false,
    status: 'new',
    createdAt: now,
    updatedAt: now,
  }
}

/** A name as it goes into hosts, networks and volumes: lower case, digits and inner hyphens, at most 63. */
export function toSlug(name: string): string {
  const plain = name.normalize('NFKD').toLowerCase().replace(/[^a-z0-9\s_-]/g, '')
  return plain.replace(/[\s_-]+/g, '-').replace(/^-/, '').slice(0, 63).replace(/-$/, '')
}

async function refuseTaken(transaction: Transaction, project: ProjectRecord): Promise<void> {
  const sameName = await transaction.findOne(Projects, 'name', [project.organizationId, project.name])
  if (sameName !== undefined) throw new Fault('PROJECT_EXISTS', `a project named ${project.name} is there already`, {suggestions: ['projects list']})
  const sameSlug = await transaction.findOne(Projects, 'slug', [project.organizationId, project.slug])
  if (sameSlug !== undefined) throw new Fault('PROJECT_EXISTS', `the slug ${project.slug} is taken; give another with slug`)
}

function toProjectView(project: ProjectRecord): Project {
  return {...project, source: 'local', enabled: project.status !== 'disabled'}
}
