import {z} from 'zod'
import {EnvironmentType} from './env-var.js'
import {Instant, ProjectId, ServerId} from './fields.js'

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
  port: z.int().min(1).max(65_535).describe('container port of a project of one service; until somebody says one, that of the image where it exposes exactly one'),
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

/** How pushes to a repository reach us. */
export const webhookStrategies = ['app', 'domain', 'repo', 'none'] as const

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
export const projectName = z.string().trim().min(1).max(100)

export const ProjectOptions = z.strictObject(editableShape).partial()
export const ProjectCreate = z.strictObject({
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
  ...ProjectOptions.shape,
})
