import {z} from 'zod'
import {Instant, numberedPageQuery, PageInfo, pageQuery, ProjectId} from './fields.js'
import {LogEntry} from './log-entry.js'
import {route} from './route.js'

export const DeploymentId = z.string().min(1).max(200).describe('id, `dep_` and 16 characters')

export const DeploymentStatus = z.enum([
  'queued', 'building', 'deploying', 'ready', 'partial_failure', 'no_changes', 'reconciling', 'failed', 'action_required', 'cancelled', 'rejected',
])
export type DeploymentStatus = z.output<typeof DeploymentStatus>

/** The steps of a deployment, in order. */
export const deploymentSteps = ['prepare', 'clone', 'install', 'build', 'deploy'] as const
export const DeploymentStep = z.enum(deploymentSteps)
export type DeploymentStep = z.output<typeof DeploymentStep>

export const ServiceOutcome = z.object({
  id: z.string(),
  deploymentId: DeploymentId,
  serviceId: z.string(),
  serviceName: z.string(),
  status: z.enum(['pending', 'building', 'built', 'deploying', 'success', 'failure', 'skipped', 'cancelled', 'stopped']),
  reason: z.enum(['changed', 'forced', 'config-touched', 'shared-touched', 'manual', 'unchanged', 'out-of-scope']),
  containerId: z.string().nullable(),
  imageRef: z.string().nullable(),
  imageDigest: z.string().nullable(),
  hostPort: z.int().nullable(),
  startedAt: Instant.nullable(),
  finishedAt: Instant.nullable(),
  durationMs: z.int().nullable(),
  errorMessage: z.string().nullable(),
})
export type ServiceOutcome = z.output<typeof ServiceOutcome>

export const Deployment = z.object({
  id: DeploymentId,
  projectId: ProjectId,
  projectName: z.string(),
  organizationId: z.string(),
  serverId: z.string().nullable(),
  branch: z.string().nullable(),
  commitSha: z.string().nullable(),
  commitMessage: z.string().nullable(),
  commitShaBefore: z.string().nullable(),
  trigger: z.string().describe('manual, webhook, redeploy, rollback, app'),
  requestedBy: z.string().nullable().describe('id of the user who asked for it'),
  environment: z.enum(['production', 'preview']),
  framework: z.string().nullable(),
  status: DeploymentStatus,
  endReason: z.string().nullable().describe('superseded, user, interrupted, source, build, ports, volumes, start, setup, unhealthy, unreachable, disk, internal; null while it goes on or where it went well'),
  isActive: z.boolean().describe('the release that is served now'),
  url: z.string().nullable().describe('where the release that is served is reached, where that is known'),
  version: z.int().nullable().describe('release number, given on success'),
  steps: z.array(z.object({step: DeploymentStep, status: z.enum(['pending', 'running', 'completed', 'failed', 'skipped']), startedAt: Instant.nullable(), finishedAt: Instant.nullable()})),
  services: z.array(ServiceOutcome).optional().describe('in the answer of a single deployment'),
  previousDeploymentId: z.string().nullable().describe('the release that was served when it began'),
  restoredDeploymentId: z.string().nullable().describe('the release that was brought back when it failed'),
  rollbackOf: z.string().nullable().describe('the deployment that it brings back'),
  errorMessage: z.string().nullable(),
  errorCode: z.string().nullable(),
  errorDetails: z.record(z.string(), z.unknown()).nullable(),
  warningMessage: z.string().nullable().describe('what is not as it should be although the release is up'),
  buildDurationMs: z.int().nullable(),
  durationMs: z.int().nullable(),
  interruptionMs: z.int().nullable().describe('how long changed services did not run, at most; null where none was replaced'),
  forceAll: z.boolean(),
  refresh: z.boolean(),
  targetServiceIds: z.array(z.string()).nullable(),
  changedPaths: z.array(z.string()).nullable(),
  changedPathsTruncated: z.boolean(),
  canRollback: z.boolean(),
  pinned: z.boolean(),
  createdAt: Instant,
  startedAt: Instant.nullable(),
  finishedAt: Instant.nullable(),
  updatedAt: Instant,
})
export type Deployment = z.output<typeof Deployment>

export const DeploymentEvent = z.discriminatedUnion('type', [
  z.object({type: z.literal('snapshot'), deployment: Deployment}),
  z.object({type: z.literal('log'), data: z.string().describe('base64 of the line and a newline'), message: z.string(), eventId: z.string(), level: LogEntry.shape.level, step: DeploymentStep.optional(), serviceName: z.string().optional(), serviceId: z.string().optional()}),
  z.object({type: z.literal('progress'), currentStep: z.int().min(0).max(5), progress: z.number().min(0).max(100)}),
  z.object({type: z.literal('service-status'), serviceId: z.string(), serviceName: z.string(), status: z.enum(['pending', 'building', 'built', 'deploying', 'running', 'failed', 'skipped']), error: z.string().optional(), containerId: z.string().optional(), hostPort: z.int().optional()}),
  z.object({type: z.literal('install-phase'), id: z.enum(['images', 'services', 'app-setup', 'ready']), status: z.enum(['pending', 'active', 'done', 'skipped', 'failed']), label: z.string().optional()}),
  z.object({type: z.literal('complete'), success: z.boolean(), status: DeploymentStatus, message: z.string().optional(), warningMessage: z.string().optional(), errorCode: z.string().optional(), errorDetails: z.record(z.string(), z.unknown()).optional()}),
  z.object({type: z.literal('cancelled'), message: z.string()}),
  z.object({type: z.literal('end'), status: z.enum(['ready', 'failed', 'cancelled'])}),
])
export type DeploymentEvent = z.output<typeof DeploymentEvent>

const BuildEvent = z.discriminatedUnion('type', [z.object({type: z.literal('started'), deployment_id: DeploymentId, project_id: ProjectId}), ...DeploymentEvent.options])

/** A deployment at one glance, for those who show its progress without a stream. */
const BuildStatus = z.object({
  success: z.literal(true),
  deployment_id: DeploymentId,
  project_id: ProjectId,
  status: z.enum(['queued', 'building', 'deploying', 'ready', 'failed', 'cancelled']),
  deploymentStatus: DeploymentStatus,
  is_active: z.boolean().describe('it is still going on'),
  currentStep: z.int(),
  progress: z.number(),
  steps: Deployment.shape.steps,
  services: z.array(ServiceOutcome),
  logs: z.string().describe('the last lines as one text'),
  logEntries: z.array(LogEntry).describe('the same lines'),
  lastEventId: z.string().nullable().describe('where a stream goes on after them'),
  errorMessage: z.string().nullable(),
  errorCode: z.string().nullable(),
  config: z.object({
    environment: Deployment.shape.environment,
    branch: z.string().nullable(),
    commitSha: z.string().nullable(),
    framework: z.string(),
    packageManager: z.string(),
    installCommand: z.string().nullable(),
    buildCommand: z.string().nullable(),
    startCommand: z.string().nullable(),
    outputDirectory: z.string().nullable(),
    rootDirectory: z.string().nullable(),
    port: z.int(),
  }),
})

const params = z.strictObject({id: DeploymentId})
const one = z.object({data: Deployment})
const started = z.object({success: z.literal(true), deployment_id: z.string(), project_id: z.string(), skipped: z.boolean().optional()})
const request = {
  projectId: ProjectId,
  branch: z.string().max(200).optional(),
  commitSha: z.string().regex(/^[0-9a-fA-F]{4,64}$/, 'must be a commit id').optional(),
  environment: z.enum(['production', 'preview']).default('production'),
  forceAll: z.boolean().default(false).describe('rebuild every service'),
  serviceIds: z.array(z.string().max(200)).max(200).optional().describe('only these are rebuilt, the others are carried forward'),
  smartRoute: z.boolean().default(false).describe('rebuild only what changed since the active release'),
  refresh: z.boolean().default(false).describe('recreate from the images that are there, with the variables of now'),
  oldVolumes: z.enum(['use', 'wipe']).optional().describe('what is done with volumes that a deleted project of the same slug left on the server; used unless given, but for apps, which do not start then'),
  trigger: z.string().max(50).optional(),
}

const filter = {environment: z.enum(['production', 'preview']).optional(), status: DeploymentStatus.optional(), ...pageQuery(), ...numberedPageQuery}
const page = z.object({success: z.literal(true), data: z.array(Deployment), pageInfo: PageInfo.optional(), total: z.int().optional(), page: z.int().optional(), perPage: z.int().optional()})

export const deploymentRoutes = {
  list: route({
    method: 'GET', path: '/api/deployments', summary: 'list deployments, newest first', scope: 'deployment:list', mutates: false, mcp: true,
    query: z.strictObject({projectId: ProjectId.optional(), ...filter}), output: page,
  }),
  ofProject: route({
    method: 'GET', path: '/api/projects/:id/deployments', summary: 'list the deployments of a project, newest first', scope: 'deployment:list', mutates: false,
    params: z.strictObject({id: ProjectId}), query: z.strictObject(filter), output: page,
  }),
  create: route({
    method: 'POST', path: '/api/deployments', summary: 'deploy a project', scope: 'deployment:write', mutates: true, mcp: true, status: 202, body: z.object(request),
    output: z.object({data: z.object({...started.shape, deployment: Deployment})}), errors: ['NOTHING_TO_DEPLOY', 'NOTHING_DEPLOYED'],
  }),
  show: route({method: 'GET', path: '/api/deployments/:id', summary: 'show a deployment', scope: 'deployment:read', mutates: false, mcp: true, params, output: one}),
  logs: route({
    method: 'GET', path: '/api/deployments/:id/logs', summary: 'read the log of a deployment', scope: 'deployment:read', mutates: false, mcp: true, params,
    query: z.strictObject({tail: z.coerce.number().int().min(1).max(100_000).optional(), service: z.string().max(120).optional()}), output: z.object({data: z.array(LogEntry)}),
  }),
  stream: route({
    method: 'GET', path: '/api/deployments/:id/stream', summary: 'follow a deployment', scope: 'deployment:read', mutates: false, stream: 'sse', params,
    query: z.strictObject({since: z.string().max(200).optional(), tail: z.coerce.number().int().min(0).max(100_000).optional()}), output: DeploymentEvent,
  }),
  start: route({
    method: 'POST', path: '/api/deployments/build/access', summary: 'deploy a project from an upload or as it is configured', scope: 'deployment:write', mutates: true,
    body: z.object({...request, uploadSessionId: z.string().max(200).optional(), serverId: z.string().max(200).nullable().optional().describe('the server of the project from now on')}), output: started, errors: ['NOTHING_TO_DEPLOY', 'NOTHING_DEPLOYED'],
  }),
  build: route({method: 'GET', path: '/api/deployments/:id/build', summary: 'show how far a deployment is', scope: 'deployment:read', mutates: false, params, output: BuildStatus}),
  followBuild: route({
    method: 'POST', path: '/api/deployments/:id/build', summary: 'follow a deployment, which begins by itself', description: 'As the stream of the deployment, with a first event that says which one it is. A deployment begins when it is asked for, so nothing is started twice.',
    scope: 'deployment:write', mutates: true, stream: 'sse', params, output: BuildEvent,
  }),
  respond: route({
    method: 'POST', path: '/api/deployments/:id/build/respond', summary: 'answer a question of a deployment', description: 'No deployment asks any, so the answer is success: false.', scope: 'deployment:write', mutates: true, params,
    body: z.object({action: z.string().min(1).max(200)}), output: z.object({success: z.boolean()}),
  }),
  redeploy: route({method: 'POST', path: '/api/deployments/:id/redeploy', summary: 'deploy again', scope: 'deployment:write', mutates: true, params, body: z.object({useExistingCommit: z.boolean().default(false)}), output: started, errors: ['NOTHING_TO_DEPLOY']}),
  restorePlan: route({
    method: 'GET', path: '/api/deployments/:id/restore-plan', summary: 'show what a rollback to this release would do', scope: 'deployment:read', mutates: false, params,
    output: z.object({data: z.object({mode: z.enum(['images', 'rebuild', 'impossible']), needsRepository: z.boolean(), rebuildServices: z.array(z.string()), changedServices: z.array(z.string()), untouchedServices: z.array(z.string()), reason: z.string().optional()})}),
  }),
  diff: route({
    method: 'GET', path: '/api/deployments/:id/diff', summary: 'compare two releases: images, commits, settings and names of variables', scope: 'deployment:read', mutates: false, params, query: z.strictObject({against: DeploymentId}),
    output: z.object({data: z.object({from: DeploymentId, to: DeploymentId, services: z.array(z.object({service: z.string(), change: z.enum(['added', 'removed', 'changed']), fields: z.array(z.object({field: z.string(), from: z.string().nullable(), to: z.string().nullable()}))})), compose: z.string().describe('unified diff of the Compose files, secrets masked')})}),
  }),
  rollback: route({method: 'POST', path: '/api/deployments/:id/rollback', summary: 'bring a kept release back', scope: 'deployment:admin', mutates: true, params, output: one, errors: ['RELEASE_GONE']}),
  pin: route({method: 'POST', path: '/api/deployments/:id/pin', summary: 'keep a release, or let it go again', scope: 'deployment:write', mutates: true, params, body: z.object({pinned: z.boolean().default(true)}), output: one}),
  cancel: route({method: 'POST', path: '/api/deployments/:id/cancel', summary: 'cancel a deployment; the release before it goes on', scope: 'deployment:admin', mutates: true, params, output: z.object({success: z.literal(true), message: z.string()}), errors: ['DEPLOYMENT_FINISHED']}),
  keep: route({
    method: 'POST', path: '/api/deployments/:id/keep', summary: 'keep a deployment that came up in part', description: 'A deployment of which a part fails is brought back by itself, so no decision is ever open and this is refused.',
    scope: 'deployment:write', mutates: true, params, output: z.object({success: z.literal(true), deployment: Deployment}), errors: ['NO_DECISION'],
  }),
  reject: route({
    method: 'POST', path: '/api/deployments/:id/reject', summary: 'take the release that is served back and serve the one before it', description: 'A deployment of its own brings the release before back; when that is live, the rejected one has the status rejected and its row and log stay.',
    scope: 'deployment:write', mutates: true, params, body: z.object({wait: z.boolean().default(true).describe('answer when the release before is served')}),
    output: z.object({success: z.literal(true), restoredDeploymentId: DeploymentId.describe('whose release is served again'), deployment_id: DeploymentId.describe('the deployment that brings it back'), project_id: ProjectId}),
    errors: ['NOTHING_DEPLOYED', 'NO_PREDECESSOR', 'DEPLOYMENT_FAILED', 'WAIT_TIMEOUT'],
  }),
  restart: route({method: 'POST', path: '/api/deployments/:id/restart', summary: 'restart the containers of the active release', scope: 'deployment:write', mutates: true, params, output: one, errors: ['NOTHING_DEPLOYED']}),
  delete: route({method: 'DELETE', path: '/api/deployments/:id', summary: 'delete the record of a deployment that is not served', scope: 'deployment:admin', mutates: true, params, output: z.object({success: z.literal(true), message: z.string()}), errors: ['DEPLOYMENT_NOT_FINISHED']}),
  info: route({
    method: 'GET', path: '/api/deployments/:id/info', summary: 'show the main container of a release', scope: 'deployment:read', mutates: false, params,
    output: z.object({data: z.object({containerId: z.string().nullable(), status: z.string(), ip: z.string().optional(), hostPort: z.int().optional(), hostPortByContainerPort: z.record(z.string(), z.int()).optional(), uptimeSeconds: z.number().optional()})}),
  }),
  usage: route({
    method: 'GET', path: '/api/deployments/:id/usage', summary: 'show what the containers of a project use now', scope: 'deployment:read', mutates: false, params,
    output: z.object({data: z.object({
      cpuPercent: z.number().describe('100 is one whole core'), memoryMb: z.number(), diskMb: z.number().describe('what containers wrote into themselves; volumes are not counted'), networkRxBytes: z.number(), networkTxBytes: z.number(),
      services: z.array(z.object({serviceName: z.string(), containerId: z.string(), cpuPercent: z.number(), memoryMb: z.number(), memoryLimitMb: z.number().nullable(), diskMb: z.number(), networkRxBytes: z.number(), networkTxBytes: z.number()})),
    })}),
  }),
}
