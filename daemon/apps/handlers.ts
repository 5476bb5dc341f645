import type {appRoutes, HostFit} from '../../src/contract/apps.js'
import {Fault} from '../../src/contract/faults.js'
import {allows} from '../access/decide.js'
import type {Principal} from '../access/principal.js'
import type {Handlers} from '../http/handlers.js'
import {findAppDraft, findBegunApps} from '../projects/app-projects.js'
import {findLocalServer, findReadableServer} from '../servers/find-server.js'
import type {BundledFiles} from './bundled-files.js'
import type {CapacityReader} from './capacity.js'
import type {Catalog} from './catalog.js'
import {checkUpload} from './check-upload.js'
import type {CustomAppReader} from './custom-apps.js'
import {findApp, getApp} from './find-app.js'
import {compareCapacity, declaresMinimum, unknownCapacity, type Capacity} from './host-fit.js'
import {deleteCustomApp, keepCustomApp, type KeepParts} from './keep-custom-app.js'
import {toDetail} from './list-entry.js'
import type {Listings} from './listings.js'
import {searchApps} from './search.js'

export interface AppParts extends KeepParts {
  readonly engine: string
  /** The machine of the daemon is nobody's to install on. */
  readonly cloud: boolean
  readonly catalog: Catalog
  readonly customApps: CustomAppReader
  readonly listings: Listings
  readonly capacity: Pick<CapacityReader, 'read'>
  readonly files: BundledFiles
}

export function createAppHandlers(parts: AppParts): Handlers<typeof appRoutes> {
  const {catalog, customApps, listings, files, engine} = parts
  return {
    async catalog({query}, {principal}) {
      return searchApps(await listings.of(principal.organizationId), query)
    },

    async directory({query}) {
      return searchApps(await listings.ofAnybody(), query)
    },

    async source() {
      return {data: await catalog.source()}
    },

    async refresh() {
      return {data: await catalog.refresh()}
    },

    async show({params}, {principal}) {
      const {item, custom} = await getApp(parts, params.id, principal)
      const [begun] = await findBegunApps(parts.store, principal, params.id)
      return {data: toDetail(item, custom), draft: begun === undefined ? null : {projectId: begun.id, slug: begun.slug, name: begun.name}}
    },

    async article({params}, {principal}) {
      const {item, custom} = await getApp(parts, params.id, principal)
      const {article, articleFile} = item.definition.marketplace ?? {}
      // A file is one of ours: an upload can name none.
      const markdown = article ?? (articleFile === undefined || custom ? undefined : await files.readArticle(articleFile))
      if (markdown === undefined) throw notFound()
      return {data: {markdown}}
    },

    async hostFit({params, query}, {principal}) {
      return {data: await readFit(parts, {id: params.id, ...query}, principal)}
    },

    async customList(_input, {principal}) {
      const [curated, uploads] = await Promise.all([catalog.current(), customApps.of(principal.organizationId)])
      return {
        data: uploads.map(({record, name, problem}) => ({
          appId: record.appId,
          name,
          updatedAt: record.updatedAt,
          problem: curated.hasId(record.appId) ? 'a built-in app has this id and is shown instead' : problem,
        })),
      }
    },

    async upload({body}, {principal, actor}) {
      requireCollection(principal)
      const upload = checkUpload(body, await catalog.current(), engine)
      const replaced = await keepCustomApp(parts, {principal, actor}, upload)
      return {data: {appId: upload.definition.id, replaced, unknownKeys: [...upload.unknownKeys]}}
    },

    async deleteCustom({params}, {principal, actor}) {
      requireCollection(principal)
      return {data: {ok: true as const, deleted: await deleteCustomApp(parts, {principal, actor}, params.appId)}}
    },
  }
}

const notFound = () => new Fault('NOT_FOUND', 'Not found')

// Custom apps belong to all projects of the organization, so a grant on some of them is not enough.
function requireCollection(principal: Principal): void {
  if (!allows(principal, {type: 'project', id: '*', organizationId: principal.organizationId}, 'write')) throw notFound()
}

interface FitQuestion {
  readonly id: string
  readonly deployTarget?: string | undefined
  readonly serverId?: string | undefined
  readonly projectId?: string | undefined
}

// A project that nobody may read, or that is gone, counts as not named.
async function readFit(parts: AppParts, {id, deployTarget, serverId, projectId}: FitQuestion, principal: Principal): Promise<HostFit> {
  const minResources = (await findApp(parts, id, principal))?.item.definition.minResources
  const draft = projectId === undefined ? undefined : await findAppDraft(parts.store, principal, projectId)
  const hasHost = deployTarget !== 'cloud' && (declaresMinimum(minResources) || draft !== undefined)
  const capacity = hasHost ? await readCapacity(parts, serverId ?? draft?.serverId ?? undefined, principal) : unknownCapacity
  return compareCapacity(minResources, capacity, draft)
}

// Which machine is meant is read from the server's own row, never from the request.
async function readCapacity({store, capacity, cloud}: AppParts, serverId: string | undefined, principal: Principal): Promise<Capacity> {
  if (serverId === undefined && cloud) return unknownCapacity
  const server = serverId === undefined ? await findLocalServer(store) : await findReadableServer(store, serverId, principal)
  if (server === undefined) return unknownCapacity
  const {id, isLocal, updatedAt} = server
  return capacity.read({organizationId: principal.organizationId, serverId: id, isLocal, updatedAt})
}
