import {z} from 'zod'
import {Instant} from './fields.js'
import {projectRoutes} from './projects.js'
import {route} from './route.js'

const sessionId = z.string().min(1).max(200)

const Diagnostic = z.object({path: z.string(), message: z.string()})

/** What is found in an uploaded folder; what a client offers a person before the first deployment. */
export const FolderScan = z.object({
  name: z.string(),
  stack: z.string().describe('compose, dockerfile, or what a file at the top tells: node, python, go, …; unknown'),
  projectType: z.enum(['app', 'docker', 'services', 'monorepo']),
  packageManager: z.string(),
  installCommand: z.string().nullable(),
  buildCommand: z.string().nullable(),
  startCommand: z.string().nullable(),
  outputDirectory: z.string().nullable(),
  rootDirectory: z.string().nullable(),
  buildImage: z.string().nullable(),
  port: z.int(),
  composePath: z.string().nullable(),
  dockerfile: z.string().nullable(),
  services: z.array(z.object({name: z.string(), image: z.string().nullable(), build: z.string().nullable()})),
  configDiagnostics: z.object({
    errors: z.array(Diagnostic).describe('what will keep it from being deployed'),
    warnings: z.array(Diagnostic).describe('what will be different from what its files say'),
  }),
})
export type FolderScan = z.output<typeof FolderScan>

export const uploadRoutes = {
  open: route({
    method: 'POST',
    path: '/api/projects/folder/session',
    summary: 'begin the upload of a folder',
    scope: 'project:write',
    mutates: true,
    acceptsCreateGrant: true,
    body: z.object({name: z.string().trim().min(1).max(100), packageManager: z.string().max(50).optional(), stack: z.string().max(100).optional()}),
    output: z.object({
      success: z.literal(true),
      sessionId,
      expiresAt: Instant,
      upload: z.object({
        url: z.string().describe('relative to the base of the API'),
        absoluteUrl: z.string(),
        method: z.literal('POST'),
        headers: z.record(z.string(), z.string()),
        requiresAuth: z.boolean(),
      }),
      limitBytes: z.int().describe('of the archive as it is sent'),
    }),
  }),
  send: route({
    method: 'POST',
    path: '/api/projects/folder/upload/:sessionId',
    summary: 'send the folder as a gzipped tar archive',
    description: 'The ticket of the session is the credential. Paths and links that lead out of the archive are refused, and so are devices. What is refused or cut off leaves nothing behind, and may be sent again while the session lasts.',
    scope: 'public',
    mutates: true,
    rateLimit: 'default',
    streamsBody: true,
    params: z.strictObject({sessionId}),
    headers: z.object({'x-upload-ticket': z.string().max(200).optional().describe('as the session said')}),
    output: z.object({success: z.literal(true), bytes: z.int(), files: z.int()}),
    errors: ['FORBIDDEN', 'UPLOAD_REFUSED'],
  }),
  scan: route({
    method: 'POST',
    path: '/api/projects/folder/scan/:sessionId',
    summary: 'tell what an uploaded folder holds',
    scope: 'project:write',
    mutates: false,
    acceptsCreateGrant: true,
    params: z.strictObject({sessionId}),
    body: z.object({}).optional(),
    output: z.object({success: z.literal(true), ...FolderScan.shape}),
    errors: ['UPLOAD_REFUSED', 'SOURCE_UNAVAILABLE'],
  }),
  ensure: route({
    method: 'POST',
    path: '/api/projects/ensure',
    summary: 'create a project for an upload, or find it',
    description: 'By projectId, else by name in the organization. The upload becomes what is deployed next.',
    scope: 'project:write',
    mutates: true,
    acceptsCreateGrant: true,
    body: z.object({...projectRoutes.create.body.shape, projectId: z.string().max(200).optional(), uploadSessionId: sessionId.optional()}),
    output: z.object({success: z.literal(true), project_id: z.string(), created: z.boolean()}),
    errors: ['PROJECT_EXISTS', 'UPLOAD_REFUSED'],
  }),
}
