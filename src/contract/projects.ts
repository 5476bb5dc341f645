import {z} from 'zod'
import {Instant, numberedPageQuery, PageInfo, ProjectId, pageQuery, ServerId} from './fields.js'
import {route} from './route.js'

export const EnvironmentType = z.enum(['production', 'preview', 'development'])
export type EnvironmentType = z.output<typeof EnvironmentType>

/** How pushes to a repository reach us. */
export const webhookStrategies = ['app', 'domain', 'repo', 'none'] as const

/** What stands in the place of a secret on the way out; sent back it means "unchanged". */
export const valueMask = '••••••••'

const text = (maximum: number) => z.string().trim().max(maximum).nullable()
const noParent = /^(?!(?:.*[/\\])?\.\.(?:[/\\]|$))/

/** What a client may set, at the creation and later. */
const editableShape = {
  gitBranch: text(200).describe('null is the default branch of the repository'),
  localPath: text(1000).describe('a folder on the machine of the daemon; only administrators of the instance may name one'),
  image: text(500).describe('image reference, for projects of one image'),
  framework: z.string().max(100),
  packageManager: z.string().max(50),
  installCommand: text(500),
  buildCommand: text(500),
  startCommand: text(500),
  outputDirectory: z.string().max(200).regex(/^[A-Za-z0-9._~/-]*$/).nullable(),
  rootDirectory: z.string().max(200).regex(noParent, 'must not contain ..').nullable().describe('folder of the repository or upload that is the build context'),
  composePath: z.string().max(300).regex(noParent, 'must not contain ..').nullable().describe('Compose file within the source; found by name unless given'),
  composeProfiles: z.array(z.string().max(100)).max(20).describe('profiles whose services are deployed, too'),
  dockerfile: z.string().max(300).regex(noParent, 'must not contain ..').nullable().describe('relative to rootDirectory; Dockerfile unless given'),
  buildImage: text(200),
  port: z.int().min(1).max(65_535).describe('container port of a project of one service'),
  volumes: z.array(z.string().max(500)).max(50).nullable(),
  submodules: z.boolean().describe('fetch the submodules of the repository'),
  runtimeMode: z.enum(['bare', 'docker']).nullable(),
  serverId: ServerId.nullable().describe('the server it is deployed to; null is the machine of the daemon'),
  autoDeploy: z.boolean(),
  forceDeployNext: z.boolean().describe('rebuild everything with the next deployment'),
  monorepoSharedPaths: z.array(z.string().max(200)).max(50).nullable(),
  alwaysRebuildPaths: z.array(z.string().max(200)).max(50).nullable(),
  rollbackWindow: z.int().min(0).max(20).nullable().describe('releases kept for a rollback; null keeps 5'),
  defaultRollbackStrategy: z.enum(['git', 'snapshot']),
}

export const Project = z.object({
  id: ProjectId,
  organizationId: z.string(),
  groupId: z.string(),
  name: z.string(),
  slug: z.string(),
  projectType: z.enum(['app', 'docker', 'services', 'monorepo']),
  environmentName: z.string(),
  environmentSlug: z.string(),
  environmentType: EnvironmentType,
  isApp: z.boolean(),
  appTemplateId: z.string().nullable(),
  gitProvider: z.enum(['github', 'gitlab', 'bitbucket', 'local', 'upload', 'release']),
  gitUrl: z.string().nullable(),
  gitOwner: z.string().nullable(),
  gitRepo: z.string().nullable(),
  sourceKind: z.enum(['git', 'image', 'upload', 'app']).nullable(),
  buildKind: z.enum(['dockerfile', 'prebuilt', 'compose']).nullable(),
  ...editableShape,
  hasDeployKey: z.boolean(),
  hasServer: z.boolean(),
  hasBuild: z.boolean(),
  composeProjectName: z.string().describe('what docker-compose -p takes on the server'),
  deployTarget: z.enum(['cloud', 'server', 'local']).nullable(),
  serverName: z.string().nullable(),
  activeDeploymentId: z.string().nullable(),
  activeDeploymentStatus: z.string().nullable(),
  activeVersion: z.int().nullable(),
  deletionInProgress: z.boolean(),
  status: z.enum(['new', 'active', 'disabled']),
  enabled: z.boolean(),
  disabledAt: Instant.nullable(),
  source: z.literal('local'),
  createdAt: Instant,
  updatedAt: Instant,
})
export type Project = z.output<typeof Project>

const Slug = z.string().regex(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/, 'lower-case letters, digits and inner hyphens, at most 63')
const projectName = z.string().trim().min(1).max(100)

const editable = z.strictObject(editableShape).partial()
const createShape = {
  name: projectName,
  slug: Slug.optional().describe('made from the name unless given; never changes afterwards'),
  gitProvider: Project.shape.gitProvider.optional(),
  gitUrl: z.string().max(1000).optional().describe('https, http, ssh, git or scp form, of any host'),
  gitOwner: z.string().max(100).optional(),
  gitRepo: z.string().max(100).optional(),
  projectType: Project.shape.projectType.optional(),
  sourceKind: Project.shape.sourceKind.optional(),
  buildKind: Project.shape.buildKind.optional(),
  hasServer: z.boolean().optional(),
  hasBuild: z.boolean().optional(),
  ...editable.shape,
}

const params = z.strictObject({id: ProjectId})
const flag = z.stringbool().optional()
const DeletionStep = z.object({step: z.string(), status: z.enum(['ok', 'failed', 'skipped']), details: z.string().optional(), error: z.string().optional()})
const Left = z.object({kind: z.enum(['container', 'network', 'volume', 'image', 'file']), name: z.string(), service: z.string().nullable()})

const Consumer = z.object({projectId: ProjectId, name: z.string(), slug: z.string(), envKey: z.string().describe('the variable that goes with it')})

export const EnvVar = z.object({
  id: z.string(),
  key: z.string(),
  value: z.string().describe('eight bullets where it is a secret'),
  environment: EnvironmentType,
  serviceId: z.string().nullable().describe('null is all services of the project'),
  isSecret: z.boolean(),
  createdAt: Instant,
  updatedAt: Instant,
})
export type EnvVar = z.output<typeof EnvVar>

export const EnvKey = z.string().max(256).regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'letters, digits and _; not a digit first')
export const EnvEntry = z.strictObject({key: EnvKey, value: z.string().max(10_000), isSecret: z.boolean().optional()})

export const LogEntry = z.object({
  timestamp: Instant,
  message: z.string(),
  level: z.enum(['info', 'warn', 'error']),
  step: z.string().optional(),
  serviceName: z.string().optional(),
  serviceId: z.string().optional(),
  seq: z.int().optional(),
})
export type LogEntry = z.output<typeof LogEntry>

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
    body: z.strictObject(createShape),
    output: z.object({data: Project}),
    errors: ['PROJECT_EXISTS', 'INSTANCE_ADMIN_REQUIRED'],
  }),
  show: route({
    method: 'GET',
    path: '/api/projects/:id',
    summary: 'show a project',
    scope: 'project:read',
    mutates: false,
    mcp: true,
    params,
    output: z.object({data: Project}),
  }),
  update: route({
    method: 'PATCH',
    path: '/api/projects/:id',
    summary: 'change a project',
    description: 'Only what a client may set is read; anything else that is sent is ignored. The slug never changes.',
    scope: 'project:write',
    mutates: true,
    mcp: true,
    params,
    body: z.object({name: projectName.optional(), ...editable.shape}),
    output: z.object({data: Project}),
    errors: ['PROJECT_EXISTS', 'INSTANCE_ADMIN_REQUIRED'],
  }),
  deletionPreview: route({
    method: 'GET',
    path: '/api/projects/:id/deletion-preview',
    summary: 'show what a deletion would take away and what it would leave',
    scope: 'project:admin',
    mutates: false,
    params,
    query: z.strictObject({wipeVolumes: flag}),
    output: z.object({data: z.object({reachable: z.boolean(), removed: z.array(Left), kept: z.array(Left), activeDeploymentIds: z.array(z.string()), consumers: z.array(Consumer)})}),
  }),
  delete: route({
    method: 'DELETE',
    path: '/api/projects/:id',
    summary: 'delete a project',
    description: 'Volumes are kept unless wipeVolumes is given. recordOnly leaves everything on the server.',
    scope: 'project:admin',
    mutates: true,
    params,
    query: z.strictObject({force: flag, forceOrphan: flag, wipeVolumes: flag, recordOnly: flag}),
    body: z.strictObject({wipeVolumes: z.boolean().optional()}).optional().describe('the same as the flag of the query'),
    output: z.object({
      ok: z.literal(true),
      message: z.string(),
      steps: z.array(DeletionStep),
      orphaned: z.array(z.string()),
      unlinked: z.array(z.string()),
    }),
    errors: ['PROJECT_DELETION_IN_PROGRESS', 'PROJECT_HAS_ACTIVE_WORK', 'PROJECT_TEARDOWN_FAILED'],
  }),
  env: route({
    method: 'GET',
    path: '/api/projects/:id/env',
    summary: 'list the environment variables of a project',
    scope: 'project:read',
    mutates: false,
    params,
    query: z.strictObject({environment: EnvironmentType.optional(), services: flag.describe('those of single services, too')}),
    output: z.object({data: z.array(EnvVar)}),
  }),
  changeEnv: route({
    method: 'PATCH',
    path: '/api/projects/:id/env',
    summary: 'set and delete environment variables of a project',
    description: 'Only the named keys change. A value that is the mask keeps what is stored.',
    scope: 'project:write',
    mutates: true,
    params,
    body: z.strictObject({environment: EnvironmentType, upserts: z.array(EnvEntry).max(100), deletes: z.array(EnvKey).max(100)}),
    output: z.object({upserted: z.int(), deleted: z.int()}),
  }),
  revealEnv: route({
    method: 'POST',
    path: '/api/projects/:id/env-reveal',
    summary: 'read named environment variables in plain text',
    scope: 'project:write',
    mutates: false,
    params,
    body: z.strictObject({environment: EnvironmentType, keys: z.array(z.string().max(256)).min(1).max(500)}),
    output: z.object({data: z.object({environment: z.record(z.string(), z.string())})}),
  }),
  deployKey: route({
    method: 'POST',
    path: '/api/projects/:id/deploy-key',
    summary: 'make the key that fetches the repository over SSH, or take one',
    description: 'Answers the public key, to be added to the code host. Without privateKey a new Ed25519 key is made.',
    scope: 'project:write',
    mutates: true,
    params,
    body: z.strictObject({privateKey: z.string().max(65_536).optional(), gitUsername: z.string().max(200).optional(), gitPassword: z.string().max(4096).optional().describe('password or token for http and https')}),
    output: z.object({data: z.object({publicKey: z.string().nullable()})}),
  }),
  enable: route({
    method: 'POST',
    path: '/api/projects/:id/enable',
    summary: 'start the services of a project that was stopped',
    scope: 'project:write',
    mutates: true,
    params,
    output: z.object({success: z.literal(true), message: z.string()}),
    errors: ['NOTHING_DEPLOYED'],
  }),
  disable: route({
    method: 'POST',
    path: '/api/projects/:id/disable',
    summary: 'stop the services of a project; nothing is deleted',
    scope: 'project:write',
    mutates: true,
    params,
    output: z.object({success: z.literal(true), message: z.string()}),
    errors: ['NOTHING_DEPLOYED'],
  }),
  info: route({
    method: 'GET',
    path: '/api/projects/:id/info',
    summary: 'show a project with its environments',
    scope: 'project:read',
    mutates: false,
    params,
    output: z.object({success: z.literal(true), data: z.object({project: Project, environments: z.array(z.object({id: ProjectId, name: z.string(), slug: z.string(), type: EnvironmentType, isActive: z.boolean()}))})}),
  }),
  options: route({
    method: 'POST',
    path: '/api/projects/:id/options',
    summary: 'change how a project is built',
    description: 'As PATCH of the project; anything else that is sent is ignored.',
    scope: 'project:write',
    mutates: true,
    params,
    body: z.object(editable.shape),
    output: Project,
  }),
  linkRepository: route({
    method: 'POST',
    path: '/api/projects/:id/git/link',
    summary: 'deploy a project from a repository',
    description: 'By owner and name at a code host, or by its address.',
    scope: 'project:write',
    mutates: true,
    params,
    body: z.object({owner: z.string().trim().min(1).max(100).optional(), repo: z.string().trim().min(1).max(100).optional(), url: createShape.gitUrl, branch: z.string().trim().max(200).optional(), provider: z.enum(['github', 'gitlab', 'bitbucket']).optional().describe('github unless the project says otherwise')}),
    output: z.object({success: z.literal(true), owner: z.string().nullable(), repo: z.string().nullable(), branch: z.string().nullable(), webhook_strategy: z.enum(webhookStrategies), auto_deploy: z.boolean()}),
  }),
  branch: route({
    method: 'POST',
    path: '/api/projects/:id/branch',
    summary: 'set the branch that is deployed',
    scope: 'project:write',
    mutates: true,
    params,
    body: z.object({branch: z.string().trim().min(1).max(200)}),
    output: z.object({success: z.literal(true), branch: z.string()}),
  }),
  sleepMode: route({
    method: 'POST',
    path: '/api/projects/:id/sleep-mode',
    summary: 'say whether a project may be put to sleep',
    description: 'Nothing is put to sleep on servers of your own: only always_on is taken.',
    scope: 'project:write',
    mutates: true,
    params,
    body: z.object({sleep_mode: z.literal('always_on')}),
    output: z.object({success: z.literal(true), sleep_mode: z.literal('always_on')}),
  }),
}
