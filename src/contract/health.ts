import {z} from 'zod'
import {Instant} from './fields.js'
import {route} from './route.js'

export const healthRoutes = {
  live: route({
    method: 'GET',
    path: '/api/health',
    summary: 'tell that the process answers',
    description: 'Reads no store and is never limited.',
    scope: 'public',
    mutates: false,
    rateLimit: 'none',
    output: z.object({status: z.literal('ok'), cloudMode: z.boolean(), timestamp: Instant}),
  }),
  environment: route({
    method: 'GET',
    path: '/api/health/env',
    summary: 'describe this instance',
    description: 'Static; what depends on the store falls back to safe defaults when the store can not be read.',
    scope: 'public',
    mutates: false,
    rateLimit: 'none',
    output: z.object({
      selfHosted: z.boolean(),
      deployMode: z.enum(['docker', 'bare', 'cloud', 'desktop']),
      isServerHost: z.boolean(),
      hostControlEnabled: z.boolean(),
      version: z.string(),
      authMode: z.enum(['none', 'local', 'cloud']),
      productMode: z.enum(['platform', 'mail']),
      teamMode: z.enum(['single_user', 'self_hosted_remote', 'cloud_hosted', 'tunneled']),
      migrationTargetUrl: z.string().nullable(),
      migrationInProgress: z.boolean(),
      cloudAuthUrl: z.string().nullable(),
      cloudApiUrl: z.string().nullable(),
      machineName: z.string().optional(),
      hostDomain: z.string().optional(),
    }),
  }),
  status: route({
    method: 'GET',
    path: '/api/system/status',
    summary: 'show how the daemon is doing',
    scope: 'authenticated',
    mutates: false,
    mcp: true,
    output: z.object({
      version: z.string(),
      mode: z.enum(['selfhosted', 'desktop', 'cloud']),
      startedAt: Instant,
      timeZone: z.string(),
      store: z.object({
        engine: z.string(),
        state: z.enum(['ok', 'full', 'failed']),
        message: z.string().nullable(),
      }),
      scheduler: z.object({
        enabled: z.boolean(),
        state: z.enum(['running', 'off', 'stopped']),
        reason: z.string().nullable(),
        lastTickAt: Instant.nullable(),
        nextFireAt: Instant.nullable(),
      }),
      activeRuns: z.int(),
      memoryBytes: z.int(),
    }),
  }),
}
