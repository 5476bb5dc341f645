import {z} from 'zod'
import {Instant, numberedPageQuery, PageInfo, pageQuery, ProjectId} from './fields.js'
import {route} from './route.js'

export const Project = z.object({
  id: ProjectId,
  organizationId: z.string(),
  name: z.string(),
  slug: z.string(),
  projectType: z.enum(['app', 'docker', 'services', 'monorepo']),
  environmentName: z.string(),
  environmentSlug: z.string(),
  environmentType: z.enum(['production', 'preview', 'development']),
  framework: z.string(),
  gitOwner: z.string().nullable(),
  gitRepo: z.string().nullable(),
  gitBranch: z.string().nullable(),
  localPath: z.string().nullable(),
  port: z.int(),
  autoDeploy: z.boolean(),
  status: z.enum(['new', 'active', 'disabled']),
  enabled: z.boolean(),
  source: z.literal('local'),
  createdAt: Instant,
  updatedAt: Instant,
})
export type Project = z.output<typeof Project>

const flag = z.stringbool().optional()

export const projectRoutes = {
  list: route({
    method: 'GET',
    path: '/api/projects',
    summary: 'list projects, newest first',
    scope: 'project:list',
    mutates: false,
    acceptsCreateGrant: true,
    mcp: true,
    query: z.strictObject({...pageQuery(), ...numberedPageQuery}),
    output: z.object({
      data: z.array(Project),
      pageInfo: PageInfo.optional(),
      total: z.int().optional(),
      page: z.int().optional(),
      perPage: z.int().optional(),
    }),
  }),
  create: route({
    method: 'POST',
    path: '/api/projects',
    summary: 'create a project',
    scope: 'project:write',
    mutates: true,
    acceptsCreateGrant: true,
    mcp: true,
    status: 201,
    body: z.strictObject({
      name: z.string().trim().min(1).max(100),
      slug: z.string().regex(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/, 'lower-case letters, digits and inner hyphens, at most 63').optional(),
      gitOwner: z.string().max(100).optional(),
      gitRepo: z.string().max(100).optional(),
      gitBranch: z.string().max(200).optional(),
      framework: z.string().max(100).optional(),
      localPath: z.string().max(1000).optional(),
      port: z.int().min(1).max(65_535).optional(),
      projectType: Project.shape.projectType.optional(),
    }),
    output: z.object({data: Project}),
    errors: ['PROJECT_EXISTS'],
  }),
  show: route({
    method: 'GET',
    path: '/api/projects/:id',
    summary: 'show a project',
    scope: 'project:read',
    mutates: false,
    mcp: true,
    params: z.strictObject({id: ProjectId}),
    output: z.object({data: Project}),
  }),
  delete: route({
    method: 'DELETE',
    path: '/api/projects/:id',
    summary: 'delete a project',
    scope: 'project:admin',
    mutates: true,
    params: z.strictObject({id: ProjectId}),
    query: z.strictObject({force: flag, forceOrphan: flag, wipeVolumes: flag, recordOnly: flag}),
    output: z.object({
      ok: z.literal(true),
      message: z.string(),
      steps: z.array(z.object({step: z.string(), status: z.enum(['ok', 'failed', 'skipped']), error: z.string().optional()})),
      orphaned: z.array(z.string()),
      unlinked: z.array(z.string()),
    }),
  }),
}
