import {z} from 'zod'
import {Instant} from './fields.js'
import {projectRoutes} from './projects.js'
import {route} from './route.js'

const sessionId = z.string().min(1).max(200)

export const uploadRoutes = {
  open: route({
    method: 'POST', path: '/api/projects/folder/session', summary: 'begin the upload of a folder', scope: 'project:write', mutates: true, acceptsCreateGrant: true,
    body: z.object({name: z.string().trim().min(1).max(100), packageManager: z.string().max(50).optional(), stack: z.string().max(100).optional()}),
    output: z.object({
      success: z.literal(true), sessionId, expiresAt: Instant,
      upload: z.object({url: z.string().describe('relative to the base of the API'), absoluteUrl: z.string(), method: z.literal('POST'), headers: z.record(z.string(), z.string()), requiresAuth: z.boolean()}),
      limitBytes: z.int(),
    }),
  }),
  send: route({
    method: 'POST', path: '/api/projects/folder/upload/:sessionId', summary: 'send the folder as a gzipped tar archive', description: 'Header x-upload-ticket, as the session said. Paths and links that lead out of the archive are refused, and so are devices.',
    scope: 'public', mutates: true, rateLimit: 'default', streamsBody: true, params: z.strictObject({sessionId}), output: z.object({success: z.literal(true), bytes: z.int(), files: z.int()}), errors: ['UPLOAD_REFUSED'],
  }),
  scan: route({
    method: 'POST', path: '/api/projects/folder/scan/:sessionId', summary: 'tell what an uploaded folder holds', scope: 'project:write', mutates: false, acceptsCreateGrant: true, params: z.strictObject({sessionId}), body: z.object({}),
    output: z.object({
      success: z.literal(true), name: z.string(), stack: z.string(), projectType: z.enum(['app', 'docker', 'services', 'monorepo']), packageManager: z.string(), installCommand: z.string().nullable(), buildCommand: z.string().nullable(),
      startCommand: z.string().nullable(), outputDirectory: z.string().nullable(), rootDirectory: z.string().nullable(), buildImage: z.string().nullable(), port: z.int(), composePath: z.string().nullable(), dockerfile: z.string().nullable(),
      services: z.array(z.object({name: z.string(), image: z.string().nullable(), build: z.string().nullable()})), configDiagnostics: z.array(z.object({path: z.string(), message: z.string()})),
    }),
    errors: ['UPLOAD_REFUSED'],
  }),
  ensure: route({
    method: 'POST', path: '/api/projects/ensure', summary: 'create a project for an upload, or find it', scope: 'project:write', mutates: true, acceptsCreateGrant: true,
    body: z.object({...projectRoutes.create.body.shape, projectId: z.string().max(200).optional(), uploadSessionId: sessionId.optional()}), output: z.object({success: z.literal(true), project_id: z.string(), created: z.boolean()}), errors: ['PROJECT_EXISTS'],
  }),
}
