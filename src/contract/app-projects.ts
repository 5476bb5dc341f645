import {z} from 'zod'
import {Connection, Management, SettingGroup} from '../catalog/definition.js'
import {ProjectId} from './fields.js'
import {EnvKey} from './env-var.js'
import {route} from './route.js'

const params = z.strictObject({id: ProjectId})
export const Link = z.object({
  id: z.string(),
  sourceProjectId: ProjectId,
  sourceName: z.string(),
  sourceAppTemplateId: z.string().nullable(),
  targetProjectId: ProjectId,
  outputId: z.string(),
  envKey: z.string(),
  mode: z.enum(['internal', 'public']),
  shadowedBy: z.array(z.string()).describe('services whose own environment has the key, so that they do not get the value'),
})
export type Link = z.output<typeof Link>

const mode = z.enum(['internal', 'public']).optional()
const Output = Connection.shape.outputs.element

/** Installed apps: what a definition becomes as a project, and how projects use each other. */
export const appProjectRoutes = {
  install: route({
    method: 'POST',
    path: '/api/apps',
    summary: 'create the project of an app',
    description: 'Creates the project and its services with generated secrets; a deployment starts it. A second call for an install that was never deployed completes it and keeps its secrets.',
    scope: 'project:write',
    mutates: true,
    acceptsCreateGrant: true,
    mcp: true,
    body: z.object({
      templateId: z.string().min(1).max(100),
      name: z.string().trim().max(100).optional(),
      config: z.record(z.string(), z.string()).optional().describe('values of the fields that are not generated, by environment key'),
      serverId: z.string().max(200).optional().describe('the server it will be deployed to'),
      routes: z
        .array(
          z.strictObject({
            service: z.string().min(1).max(120),
            port: z.int().min(1).max(65_535),
            mode: z.enum(['port', 'free', 'custom']),
            domain: z.string().max(255).optional(),
            customDomain: z.string().max(255).optional(),
          }),
        )
        .max(40)
        .optional(),
    }),
    output: z.object({
      data: z.union([
        z.object({kind: z.literal('template'), projectId: ProjectId, slug: z.string()}),
        z.object({kind: z.literal('flow'), flowHref: z.string()}),
      ]),
    }),
    errors: ['APP_UNKNOWN', 'APP_REQUIRES_UPDATE', 'APP_UNAVAILABLE', 'PROJECT_EXISTS', 'CLOUD_REQUIRED_MANAGED_PROJECT_DOMAIN'],
  }),
  updatePlan: route({
    method: 'GET',
    path: '/api/projects/:id/app-update',
    summary: 'show what the definition of now would change in an installed app',
    scope: 'project:read',
    mutates: false,
    mcp: true,
    params,
    output: z.object({
      data: z.object({
        appTemplateId: z.string().nullable(),
        upToDate: z.boolean(),
        services: z.array(z.object({service: z.string(), change: z.enum(['added', 'removed', 'changed']), fields: z.array(z.object({field: z.string(), from: z.string().nullable(), to: z.string().nullable(), edited: z.boolean().describe('changed by hand here; kept')}))})),
        generated: z.array(z.string()).describe('service.KEY of secrets that would be made'),
      }),
    }),
  }),
  update: route({
    method: 'POST',
    path: '/api/projects/:id/app-update',
    summary: 'bring an installed app to the definition of now; a deployment applies it',
    scope: 'project:write',
    mutates: true,
    params,
    output: z.object({data: z.object({changed: z.boolean(), requiresRedeploy: z.boolean()})}),
    errors: ['APP_UNKNOWN', 'APP_REQUIRES_UPDATE', 'APP_UNAVAILABLE'],
  }),
  settings: route({
    method: 'GET',
    path: '/api/projects/:id/app-settings',
    summary: 'show the settings of an installed app',
    scope: 'project:read',
    mutates: false,
    mcp: true,
    params,
    output: z.object({
      data: z.object({
        appTemplateId: z.string().nullable(),
        management: Management.nullable(),
        groups: z.array(SettingGroup),
        values: z.array(z.object({service: z.string(), key: z.string(), value: z.string(), secret: z.boolean(), set: z.boolean()})),
      }),
    }),
  }),
  changeSettings: route({
    method: 'PATCH',
    path: '/api/projects/:id/app-settings',
    summary: 'change settings of an installed app; all of them or none',
    scope: 'project:write',
    mutates: true,
    params,
    body: z.strictObject({changes: z.array(z.strictObject({service: z.string().max(120), key: z.string().max(256), value: z.string().max(10_000)})).max(200).optional()}),
    output: z.object({data: z.object({count: z.int(), requiresRedeploy: z.boolean()})}),
  }),
  connection: route({
    method: 'GET',
    path: '/api/projects/:id/app-connection',
    summary: 'read how to reach and use an installed app, with its credentials',
    scope: 'project:write',
    mutates: false,
    params,
    output: z.object({
      data: z.object({
        title: z.string().optional(),
        description: z.string().optional(),
        guide: Connection.shape.guide,
        outputs: z.array(
          Output.omit({source: true, variants: true, secret: true, service: true}).extend({
            secret: z.boolean(),
            value: z.string().describe('empty while it can not be told yet'),
            service: z.string().nullable(),
            variants: z.array(z.object({id: z.string(), label: Output.shape.sourceLabel.unwrap(), value: z.string()})).optional(),
            internal: z.boolean().optional(),
            note: z.string().optional(),
          }),
        ),
      }),
    }),
  }),
  connections: route({method: 'GET', path: '/api/projects/:id/connections', summary: 'list what a project uses of others', scope: 'project:read', mutates: false, params, output: z.array(Link)}),
  consumers: route({
    method: 'GET',
    path: '/api/projects/:id/connections/consumers',
    summary: 'list who uses a project',
    scope: 'project:read',
    mutates: false,
    params,
    output: z.array(z.object({id: z.string(), targetProjectId: ProjectId, targetName: z.string(), targetSlug: z.string(), outputId: z.string(), envKey: z.string(), mode: Link.shape.mode})),
  }),
  connect: route({
    method: 'POST',
    path: '/api/projects/:id/connections',
    summary: 'give a project a value of another one of the organization',
    scope: 'project:write',
    mutates: true,
    params,
    body: z.strictObject({sourceProjectId: ProjectId, outputId: z.string().max(200), envKey: EnvKey, mode}),
    output: z.object({data: z.object({connection: Link, requiresRedeploy: z.literal(true)})}),
    errors: ['CONNECTION_REFUSED'],
  }),
  connectBundle: route({
    method: 'POST',
    path: '/api/projects/:id/connections/bundle',
    summary: 'give a project several values of another one; all of them or none',
    scope: 'project:write',
    mutates: true,
    params,
    body: z.strictObject({sourceProjectId: ProjectId, items: z.array(z.strictObject({outputId: z.string().max(200), envKey: EnvKey})).min(1).max(100), mode}),
    output: z.object({data: z.object({connections: z.array(Link), requiresRedeploy: z.literal(true)})}),
    errors: ['CONNECTION_REFUSED'],
  }),
  disconnect: route({
    method: 'DELETE',
    path: '/api/projects/:id/connections/:linkId',
    summary: 'take a value of another project away again',
    scope: 'project:admin',
    mutates: true,
    params: params.extend({linkId: z.string().max(200)}),
    output: z.object({ok: z.literal(true)}),
  }),
}
