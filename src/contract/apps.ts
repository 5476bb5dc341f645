import {z} from 'zod'
import {AppDefinition, Category, ConfigField, Endpoint, InstallLayout, Management, Marketplace, MinResources} from '../catalog/definition.js'
import {Instant, ProjectId} from './fields.js'
import {route} from './route.js'

const requiresUpdate = z.object({minVersion: z.string().optional()}).describe('the app needs a newer release of this program')

/** An app as the directory shows it to anybody. */
export const DirectoryEntry = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  kind: AppDefinition.shape.kind,
  logo: z.string(),
  category: Category,
  tags: z.array(z.string()),
  flowHref: z.string().optional(),
  management: Management.nullable(),
  verified: z.boolean(),
  hosting: z.enum(['self-hosted', 'experimental']),
  minResources: MinResources.optional(),
  comingSoon: z.boolean(),
  requiresUpdate: requiresUpdate.optional(),
  updateAvailable: z.literal(true).optional().describe('the bundled copy is served, because the newer one needs a newer release'),
  endpoints: z.array(Endpoint),
  marketplace: Marketplace.optional(),
  installLayout: InstallLayout.optional(),
})
export type DirectoryEntry = z.output<typeof DirectoryEntry>

export const CatalogEntry = DirectoryEntry.extend({
  custom: z.boolean().describe('uploaded by this organization'),
  configFields: z
    .array(
      ConfigField.pick({key: true, service: true, label: true, help: true, default: true}).extend({type: z.enum(['text', 'password']), required: z.boolean()}),
    )
    .describe('the values a person gives; generated ones are left out'),
})
export type CatalogEntry = z.output<typeof CatalogEntry>

const Facet = z.object({value: z.string(), count: z.int()})
const Facets = z.object({categories: z.array(Facet), tags: z.array(Facet)})

/** A definition as this release reads it, with what the catalog knows of it. */
export const CatalogApp = AppDefinition.extend({
  custom: z.boolean(),
  verified: z.boolean(),
  unlisted: z.boolean(),
  requiresUpdate: requiresUpdate.optional(),
  updateAvailable: z.literal(true).optional(),
})
export type CatalogApp = z.output<typeof CatalogApp>

export const CatalogSource = z.object({
  origin: z.enum(['bundled', 'remote']).describe('bundled: nothing fetched is in use'),
  url: z.string().nullable().describe('where it is fetched from; null where no address is set'),
  apps: z.int().describe('definitions in use, without custom ones'),
  fetchedAt: Instant.nullable().describe('when the copy in use was last confirmed'),
  checkedAt: Instant.nullable().describe('the last attempt'),
  failure: z.object({message: z.string(), since: Instant}).nullable().describe('why the source can not be read, and since when; null while it can'),
  skipped: z.array(z.object({id: z.string().nullable(), reason: z.string()})).describe('entries that this release can not use'),
})
export type CatalogSource = z.output<typeof CatalogSource>

const Capacity = z.object({
  cpuCores: z.number().describe('0 is unknown'),
  memoryMb: z.int().describe('0 is unknown'),
  source: z.enum(['docker', 'local', 'unknown']),
})
const Shortfall = z.object({needed: z.number(), available: z.number()})

export const HostFit = z.object({
  minResources: MinResources.nullable(),
  capacity: Capacity,
  fit: z.object({
    ok: z.boolean().describe('false only where a shortfall was measured'),
    memory: Shortfall.optional(),
    cpu: Shortfall.optional(),
    draftMemory: Shortfall.optional().describe('the limits of the draft add up to more than the host has'),
    draftCpu: Shortfall.optional(),
  }),
  draft: z
    .object({projectId: ProjectId, memoryMb: z.number(), cpuCores: z.number(), unlimitedServices: z.int()})
    .optional()
    .describe('what the services of the named project may use at most, summed up'),
})
export type HostFit = z.output<typeof HostFit>

// Any object goes in: what it must be is for the gate of definitions to say.
const UploadBody = z
  .unknown()
  .refine((value) => typeof value === 'object' && value !== null && !Array.isArray(value), 'upload an app definition, a JSON object')
  .meta({type: 'object', description: 'an app definition'})

const appId = z.string().min(1).max(100)
const search = {
  q: z.string().trim().max(200).optional().describe('in name, description and tags'),
  category: Category.optional(),
  tag: z.string().trim().min(1).max(100).optional().describe('upper and lower case are one'),
  limit: z.coerce.number().int().min(1).max(200).optional().describe('all of them unless given'),
  offset: z.coerce.number().int().min(0).default(0).describe('apps to pass over'),
}

export const appRoutes = {
  catalog: route({
    method: 'GET',
    path: '/api/apps/catalog',
    summary: 'list the apps that can be installed',
    description: 'Curated apps first, then the custom ones of the organization. Facets count what the search found, before it is cut.',
    scope: 'project:list',
    mutates: false,
    acceptsCreateGrant: true,
    mcp: true,
    query: z.strictObject({
      ...search,
      installable: z.stringbool().optional().describe('neither coming soon nor for a newer release'),
      custom: z.stringbool().optional(),
      verified: z.stringbool().optional(),
    }),
    output: z.object({
      data: z.array(CatalogEntry),
      total: z.int(),
      facets: Facets,
    }),
  }),
  directory: route({
    method: 'GET',
    path: '/api/apps/directory',
    summary: 'list the curated apps, for anybody',
    scope: 'public',
    mutates: false,
    cacheSeconds: 600,
    query: z.strictObject(search),
    output: z.object({data: z.array(DirectoryEntry), total: z.int(), facets: Facets}),
  }),
  source: route({
    method: 'GET',
    path: '/api/apps/source',
    summary: 'tell where the catalog comes from, and whether it can be read',
    scope: 'project:list',
    mutates: false,
    acceptsCreateGrant: true,
    output: z.object({data: CatalogSource}),
  }),
  refresh: route({
    method: 'POST',
    path: '/api/apps/source/refresh',
    summary: 'fetch the catalog now',
    scope: 'settings:write',
    mutates: true,
    instanceAdmin: true,
    output: z.object({data: CatalogSource}),
    errors: ['INSTANCE_ADMIN_REQUIRED'],
  }),
  show: route({
    method: 'GET',
    path: '/api/apps/catalog/:id',
    summary: 'show the definition of an app',
    scope: 'project:list',
    mutates: false,
    acceptsCreateGrant: true,
    mcp: true,
    params: z.strictObject({id: appId}),
    output: z.object({
      data: CatalogApp,
      draft: z.object({projectId: ProjectId, slug: z.string(), name: z.string()}).nullable().describe('an install of this app that was begun and never deployed'),
    }),
  }),
  article: route({
    method: 'GET',
    path: '/api/apps/catalog/:id/article',
    summary: 'read the article of an app, in Markdown',
    scope: 'project:list',
    mutates: false,
    acceptsCreateGrant: true,
    params: z.strictObject({id: appId}),
    output: z.object({data: z.object({markdown: z.string()})}),
  }),
  hostFit: route({
    method: 'GET',
    path: '/api/apps/catalog/:id/host-fit',
    aliases: ['/apps/catalog/:id/host-fit'],
    summary: 'compare what an app recommends with what a host has; changes nothing',
    description: 'A shortfall of more than a tenth is told and never refuses an install. What can not be read counts as enough.',
    scope: 'project:list',
    mutates: false,
    acceptsCreateGrant: true,
    mcp: true,
    params: z.strictObject({id: appId}),
    query: z.strictObject({
      deployTarget: z.string().max(50).optional().describe('cloud: nothing to compare'),
      serverId: z.string().max(100).optional().describe('this machine unless given'),
      projectId: z.string().max(100).optional().describe('a draft whose saved resource settings count, too'),
    }),
    output: z.object({data: HostFit}),
  }),
  customList: route({
    method: 'GET',
    path: '/api/apps/custom',
    summary: 'list the custom apps of the organization',
    scope: 'project:list',
    mutates: false,
    acceptsCreateGrant: true,
    output: z.object({
      data: z.array(
        z.object({appId: z.string(), name: z.string(), updatedAt: Instant, problem: z.string().nullable().describe('why it can not be installed; null while it can')}),
      ),
    }),
  }),
  upload: route({
    method: 'POST',
    path: '/api/apps/custom',
    summary: 'upload or replace a custom app',
    description:
      'The body is the definition. Keys that this release does not know are kept and not read. Trust never comes from the file. Needs write on all projects, which no limited token has.',
    scope: 'project:write',
    mutates: true,
    body: UploadBody,
    output: z.object({
      data: z.object({appId: z.string(), replaced: z.boolean(), unknownKeys: z.array(z.string()).describe('JSON pointers to keys that are kept and not read; the first 1,000')}),
    }),
    errors: ['APP_SCHEMA_TOO_NEW', 'APP_KIND_REFUSED', 'APP_ID_TAKEN', 'APP_REQUIRES_UPDATE'],
  }),
  deleteCustom: route({
    method: 'DELETE',
    path: '/api/apps/custom/:appId',
    summary: 'delete a custom app',
    description: 'What was installed from it keeps running. Deleting one that is not there is no error.',
    scope: 'project:write',
    mutates: true,
    params: z.strictObject({appId}),
    output: z.object({data: z.object({ok: z.literal(true), deleted: z.boolean()})}),
  }),
}
