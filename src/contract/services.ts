import {z} from 'zod'
import {Instant, ProjectId} from './fields.js'
import {EnvEntry, EnvironmentType, EnvVar} from './env-var.js'
import {LogEntry} from './log-entry.js'
import {route} from './route.js'
import {TerminalControl, TerminalEnd, terminalFrames, terminalQuery} from './terminal.js'

export const Service = z.object({
  id: z.string(),
  projectId: ProjectId,
  kind: z.enum(['compose', 'monorepo']),
  name: z.string(),
  image: z.string().nullable(),
  build: z.string().nullable().describe('build context, relative to the folder of the Compose file'),
  dockerfile: z.string().nullable(),
  ports: z.array(z.string()),
  volumes: z.array(z.string()),
  dependsOn: z.array(z.string()),
  environment: z.record(z.string(), z.string()).describe('every value is eight bullets; an empty one stays empty'),
  command: z.string().nullable(),
  commandArgv: z.array(z.string()).nullable(),
  restart: z.string(),
  advanced: z.record(z.string(), z.unknown()),
  exposed: z.boolean(),
  exposedPort: z.string().nullable(),
  domain: z.string().nullable(),
  customDomain: z.string().nullable(),
  domainType: z.enum(['free', 'custom']),
  publicEndpoints: z.array(z.object({port: z.int(), domain: z.string().nullable().optional(), customDomain: z.string().nullable().optional(), domainType: z.enum(['free', 'custom'])})),
  rootDirectory: z.string().nullable(),
  enabled: z.boolean(),
  sortOrder: z.int(),
  drift: z.object({changes: z.record(z.string(), z.object({from: z.unknown(), to: z.unknown()}))}).nullable(),
  createdAt: Instant,
  updatedAt: Instant,
})
export type Service = z.output<typeof Service>

const short = (maximum: number) => z.string().max(maximum).nullable()

/** What a client may set of a service. `environment` and `advanced` are merged: an absent key keeps, null removes, the mask keeps. */
const editable = {
  name: z.string().trim().min(1).max(120),
  image: short(500),
  build: short(500),
  dockerfile: short(500),
  ports: z.array(z.string().max(100)).max(50),
  volumes: z.array(z.string().max(500)).max(50),
  dependsOn: z.array(z.string().max(120)).max(50),
  environment: z.record(z.string().max(256), z.string().max(10_000).nullable()),
  command: short(1000),
  commandArgv: z.array(z.string().max(2000)).max(100).nullable(),
  restart: z.string().regex(/^(no|always|unless-stopped|on-failure(:\d+)?)$/, 'one of no, always, unless-stopped, on-failure'),
  advanced: z.record(z.string().max(100), z.unknown()),
  exposed: z.boolean(),
  exposedPort: short(10),
  domain: short(255),
  customDomain: short(255),
  domainType: z.enum(['free', 'custom']),
  publicEndpoints: Service.shape.publicEndpoints.max(20),
  rootDirectory: short(200),
  enabled: z.boolean(),
  sortOrder: z.int().min(0),
}

const body = z.strictObject(editable).partial().extend({name: editable.name, kind: Service.shape.kind.optional()})
const params = z.strictObject({id: ProjectId, serviceId: z.string().max(200)})
const projectParams = z.strictObject({id: ProjectId})
const one = z.object({success: z.literal(true), service: Service})
const started = z.object({success: z.literal(true), containerId: z.string().optional()})
const tail = z.coerce.number().int().min(0).max(100_000)

const ServiceChange = z.object({
  service: z.string(),
  change: z.enum(['added', 'removed', 'changed']),
  fields: z.array(z.object({field: z.string(), from: z.unknown(), to: z.unknown()})).describe('values of variables are masked'),
})

export const LogEvent = z.discriminatedUnion('type', [
  z.object({type: z.literal('log'), message: z.string(), data: z.string().describe('base64'), timestamp: z.string(), level: LogEntry.shape.level, serviceName: z.string(), stream: z.enum(['stdout', 'stderr'])}),
  z.object({type: z.literal('complete'), reason: z.string()}),
])

export const serviceRoutes = {
  list: route({method: 'GET', path: '/api/projects/:id/services', summary: 'list the services of a project', scope: 'project:read', mutates: false, mcp: true, params: projectParams, output: z.object({success: z.literal(true), services: z.array(Service)})}),
  create: route({method: 'POST', path: '/api/projects/:id/services', summary: 'add a service to a project', scope: 'project:write', mutates: true, status: 201, params: projectParams, body, output: one, errors: ['SERVICE_INVALID']}),
  sync: route({
    method: 'POST', path: '/api/projects/:id/services/sync', summary: 'make the services of a project those that are given', scope: 'project:write', mutates: true, params: projectParams,
    description: 'What a Compose file speaks of is as it is given here, and nothing where it is left out; other settings of a service stay. A variable that is the mask keeps what is stored. Containers are made and taken away by the next deployment.',
    query: z.strictObject({dryRun: z.stringbool().optional().describe('answer what would be, and change nothing')}),
    body: z.strictObject({services: z.array(body).min(1).max(200)}), output: z.object({success: z.literal(true), services: z.array(Service), changes: z.array(ServiceChange)}), errors: ['SERVICE_INVALID'],
  }),
  containers: route({
    method: 'GET', path: '/api/projects/:id/services/containers', summary: 'show the containers of a project as the engine sees them', scope: 'project:read', mutates: false, mcp: true, params: projectParams,
    output: z.object({
      success: z.literal(true),
      containers: z.array(
        z.object({
          serviceId: z.string().nullable(), serviceName: z.string(), containerId: z.string().nullable(), status: z.string(), health: z.string().nullable(), ip: z.string().nullable(),
          hostPort: z.int().nullable(), imageRef: z.string().nullable(), matchedBy: z.enum(['label', 'name', 'none']), duplicates: z.array(z.string()), startedAt: z.string().nullable(), exitCode: z.int().nullable(),
          restartCount: z.int().describe('how often the engine started it again by itself'), unhealthyReason: z.string().nullable().describe('why an alarm was told of it and it is not well again since'),
        }),
      ),
    }),
  }),
  show: route({method: 'GET', path: '/api/projects/:id/services/:serviceId', summary: 'show a service', scope: 'project:read', mutates: false, params, output: one}),
  update: route({method: 'PATCH', path: '/api/projects/:id/services/:serviceId', summary: 'change a service', scope: 'project:write', mutates: true, params, body: z.strictObject(editable).partial(), output: one, errors: ['SERVICE_INVALID']}),
  delete: route({method: 'DELETE', path: '/api/projects/:id/services/:serviceId', summary: 'remove a service and its container; volumes stay unless wipeVolumes is given', scope: 'project:admin', mutates: true, params, query: z.strictObject({wipeVolumes: z.stringbool().optional().describe('delete the volumes that no other service mounts')}), output: z.object({success: z.literal(true)})}),
  start: route({method: 'POST', path: '/api/projects/:id/services/:serviceId/start', summary: 'start a service', scope: 'project:write', mutates: true, params, output: started, errors: ['NOTHING_DEPLOYED']}),
  stop: route({method: 'POST', path: '/api/projects/:id/services/:serviceId/stop', summary: 'stop a service', scope: 'project:write', mutates: true, params, output: started, errors: ['NOTHING_DEPLOYED']}),
  restart: route({
    method: 'POST', path: '/api/projects/:id/services/:serviceId/restart', summary: 'restart a service', description: 'Refused with the names of changed variables, which a restart does not apply; force restarts anyway.',
    scope: 'project:write', mutates: true, params, query: z.strictObject({force: z.stringbool().optional()}), output: started, errors: ['NOTHING_DEPLOYED', 'SERVICE_CONFIG_STALE'],
  }),
  acceptDrift: route({method: 'POST', path: '/api/projects/:id/services/:serviceId/drift/accept', summary: 'take what the Compose file of the source says', scope: 'project:write', mutates: true, params, output: one}),
  keepDrift: route({method: 'POST', path: '/api/projects/:id/services/:serviceId/drift/keep', summary: 'keep what was edited here', scope: 'project:write', mutates: true, params, output: one}),
  env: route({method: 'GET', path: '/api/projects/:id/services/:serviceId/env', summary: 'list the environment variables of a service', scope: 'project:read', mutates: false, params, query: z.strictObject({environment: EnvironmentType.optional()}), output: z.object({success: z.literal(true), vars: z.array(EnvVar)})}),
  setEnv: route({
    method: 'PUT', path: '/api/projects/:id/services/:serviceId/env', summary: 'replace the environment variables of a service', description: 'A value that is the mask keeps what is stored under its key.', scope: 'project:write', mutates: true, params,
    body: z.strictObject({environment: EnvironmentType, vars: z.array(EnvEntry).max(100)}), output: z.object({success: z.literal(true), count: z.int()}),
  }),
  revealEnv: route({
    method: 'POST', path: '/api/projects/:id/services/:serviceId/env-reveal', summary: 'read named variables of a service in plain text, as its container gets them', scope: 'project:write', mutates: false, params,
    body: z.strictObject({keys: z.array(z.string().max(256)).min(1).max(500), environment: EnvironmentType.default('production')}), output: z.object({success: z.literal(true), environment: z.record(z.string(), z.string())}),
  }),
  logs: route({
    method: 'GET', path: '/api/projects/:id/services/:serviceId/logs', summary: 'read the last lines of a service', scope: 'project:read', mutates: false, mcp: true, params,
    query: z.strictObject({tail: tail.default(100), since: z.string().max(50).optional().describe('ISO 8601, or a duration such as 10m')}), output: z.object({data: z.array(LogEntry)}), errors: ['NOTHING_DEPLOYED'],
  }),
  logStream: route({
    method: 'GET', path: '/api/projects/:id/services/:serviceId/logs/stream', summary: 'follow the lines of a service', scope: 'project:read', mutates: false, stream: 'sse', params,
    query: z.strictObject({tail: tail.optional(), since: z.string().max(50).optional()}), output: LogEvent, errors: ['NOTHING_DEPLOYED'],
  }),
  projectLogs: route({
    method: 'GET', path: '/api/projects/:id/logs', summary: 'read the last lines of the main service of a project', scope: 'project:read', mutates: false, params: projectParams,
    query: z.strictObject({tail: tail.default(100), since: z.string().max(50).optional()}), output: z.object({data: z.array(LogEntry)}), errors: ['NOTHING_DEPLOYED'],
  }),
  projectLogStream: route({
    method: 'GET', path: '/api/projects/:id/logs/stream', summary: 'follow the lines of the main service of a project', scope: 'project:read', mutates: false, stream: 'sse', params: projectParams,
    query: z.strictObject({tail: tail.optional(), since: z.string().max(50).optional()}), output: LogEvent, errors: ['NOTHING_DEPLOYED'],
  }),
  exec: route({
    method: 'POST', path: '/api/projects/:id/services/:serviceId/exec', summary: 'run a command in the container of a service', scope: 'project:write', mutates: true, params,
    body: z.strictObject({command: z.string().min(1).max(10_000), cwd: z.string().max(1000).optional(), timeoutMs: z.int().min(1000).max(120_000).default(30_000), maxOutputBytes: z.int().min(1).max(10_000_000).default(1_000_000)}),
    output: z.object({data: z.object({exitCode: z.int().nullable(), output: z.string(), timedOut: z.boolean(), truncated: z.boolean(), durationMs: z.number()})}), errors: ['NOTHING_DEPLOYED'],
  }),
  terminal: route({
    method: 'GET', path: '/api/projects/:id/services/:serviceId/terminal', summary: 'open a terminal in the container of a service, or run a command in it that is talked to', description: terminalFrames,
    scope: 'project:write', mutates: true, upgrade: 'websocket', params, query: z.strictObject(terminalQuery), takes: TerminalControl, output: TerminalEnd, errors: ['NOTHING_DEPLOYED', 'UPGRADE_REQUIRED'],
  }),
}
