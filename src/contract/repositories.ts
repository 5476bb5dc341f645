import {z} from 'zod'
import {ProjectId} from './fields.js'
import {Project, webhookStrategies} from './project.js'
import {route} from './route.js'

const WebhookStrategy = z.enum(webhookStrategies)

export const RepositoryBranch = z.object({name: z.string(), sha: z.string(), protected: z.boolean().describe('always false: a repository does not say')})
export type RepositoryBranch = z.output<typeof RepositoryBranch>

export const RepositoryCommit = z.object({sha: z.string(), message: z.string(), author: z.string(), date: z.string().describe('ISO 8601 with an offset')})
export type RepositoryCommit = z.output<typeof RepositoryCommit>

const RepositoryLink = z.object({
  success: z.literal(true),
  owner: z.string().nullable(),
  repo: z.string().nullable(),
  url: z.string().nullable().describe('without a login; null where it is no address of a repository'),
  branch: z.string().nullable().describe('null is the default branch'),
  provider: Project.shape.gitProvider,
  commits: z.array(RepositoryCommit).describe('the last ones of the branch, newest first'),
  commits_error: z.string().nullable().describe('why there are none'),
  auto_deploy: z.boolean(),
  webhook_strategy: WebhookStrategy,
  webhook_active: z.boolean(),
  webhook_domain: z.string().nullable(),
  available_strategies: z.array(WebhookStrategy),
  verified_domains: z.array(z.string()),
  installation_installed: z.boolean(),
  default_rollback_strategy: Project.shape.defaultRollbackStrategy,
})

const NoRepository = z.object({success: z.literal(false), code: z.literal('NO_REPOSITORY'), error: z.string()})

const params = z.strictObject({id: ProjectId})

export const repositoryRoutes = {
  show: route({
    method: 'GET',
    path: '/api/projects/:id/git',
    summary: 'show the repository of a project and its last commits',
    description: 'Answers success: false with the code NO_REPOSITORY where the project is not deployed from one. That its host does not answer is told in commits_error.',
    scope: 'project:read',
    mutates: false,
    mcp: true,
    params,
    output: z.discriminatedUnion('success', [RepositoryLink, NoRepository]),
  }),
  branches: route({
    method: 'GET',
    path: '/api/projects/:id/branches',
    summary: 'list the branches of the repository of a project as its host has them',
    scope: 'project:read',
    mutates: false,
    mcp: true,
    params,
    output: z.object({success: z.literal(true), data: z.array(RepositoryBranch)}),
    errors: ['NO_REPOSITORY', 'SOURCE_UNAVAILABLE'],
  }),
}
