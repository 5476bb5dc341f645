import {z} from 'zod'
import {id, Instant} from './fields.js'
import {route} from './route.js'

export const Role = z.enum(['owner', 'admin', 'member', 'restricted'])
export type Role = z.output<typeof Role>

/** Kinds of resource that can be granted to a token. */
export const grantableTypes = [
  'project', 'github_installation', 'github_repository', 'server', 'mail_server', 'backup_destination', 'job', 'notifications', 'analytics',
  'updates', 'settings', 'cloud', 'audit', 'billing',
] as const
export type GrantableType = (typeof grantableTypes)[number]

/** Kinds that are granted as a whole: the only resourceId is `*`. */
export const singletonTypes: readonly string[] = ['job', 'notifications', 'analytics', 'updates', 'settings', 'cloud', 'audit', 'billing']

export const Permission = z.enum(['read', 'write', 'admin', 'create'])
export type Permission = z.output<typeof Permission>

const SourcePaths = z.strictObject({paths: z.array(z.string().min(1).max(1024)).max(200)})
export const SourceScope = z.strictObject({v: z.literal(1), read: SourcePaths.optional(), write: SourcePaths.optional()})

export const TokenGrant = z.object({
  resourceType: z.string().min(1).max(100).describe(`one of ${grantableTypes.join(', ')}`),
  resourceId: z.string().min(1).max(300).describe('an id, or * for the whole collection'),
  permissions: z.array(Permission).max(4),
  scope: SourceScope.optional().describe('source paths, for the two github types'),
})
export type TokenGrant = z.output<typeof TokenGrant>

/** A grant as taken in: `resourceType` is checked by the route itself, which has its own code for it. */
export const TokenGrantInput = z.strictObject(TokenGrant.shape)

export const authRoutes = {
  whoami: route({
    method: 'GET',
    path: '/api/auth/whoami',
    summary: 'tell who the credential acts for and what it may do',
    scope: 'authenticated',
    mutates: false,
    mcp: true,
    output: z.object({
      data: z.object({
        user: z.object({id: id('usr'), name: z.string(), email: z.string()}),
        organization: z.object({id: id('org'), name: z.string(), slug: z.string()}),
        role: Role.describe('role of the credential: restricted for a scoped one'),
        memberRole: Role.describe('role of the person in the organization'),
        instanceAdmin: z.boolean(),
        credential: z.object({
          kind: z.enum(['token', 'session', 'mcp']),
          id: z.string(),
          name: z.string(),
          readOnly: z.boolean(),
          scoped: z.boolean(),
          grants: z.array(TokenGrant),
          expiresAt: Instant.nullable(),
        }),
      }),
    }),
  }),
}
