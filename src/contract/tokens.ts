import {z} from 'zod'
import {TokenGrantInput} from './auth.js'
import {id, Instant} from './fields.js'
import {route} from './route.js'

export const TokenId = id('pat')

export const Token = z.object({
  id: TokenId,
  name: z.string(),
  tokenPrefix: z.string().describe('the first characters of the secret, for recognising it'),
  readOnly: z.boolean(),
  scoped: z.boolean(),
  expiresAt: Instant.nullable(),
  lastUsedAt: Instant.nullable(),
  useCount: z.int(),
  revokedAt: Instant.nullable(),
  createdAt: Instant,
})
export type Token = z.output<typeof Token>

export const tokenRoutes = {
  list: route({
    method: 'GET',
    path: '/api/tokens',
    summary: 'list your access tokens',
    scope: 'settings:read',
    mutates: false,
    output: z.object({data: z.array(Token)}),
  }),
  create: route({
    method: 'POST',
    path: '/api/tokens',
    summary: 'create an access token; the secret is shown this once',
    scope: 'settings:write',
    mutates: true,
    status: 201,
    body: z.strictObject({
      name: z.string().min(1).max(100),
      readOnly: z.boolean().default(false),
      expiresInDays: z.int().min(1).max(365).optional().describe('days until it ends; never when left out'),
      grants: z.array(TokenGrantInput).max(1000).optional(),
      fullAccess: z.boolean().optional().describe('true for a token without limits of its own'),
    }),
    output: z.object({data: Token.extend({token: z.string().describe('the secret')})}),
    errors: [
      'TOKEN_SCOPE_REQUIRED', 'AMBIGUOUS_TOKEN_SCOPE', 'INVALID_RESOURCE_TYPE', 'SINGLETON_REQUIRES_WILDCARD', 'INVALID_GRANT_SCOPE',
      'GRANT_EXCEEDS_ACCESS',
    ],
  }),
  revoke: route({
    method: 'DELETE',
    path: '/api/tokens/:id',
    summary: 'revoke a token',
    scope: 'settings:write',
    mutates: true,
    params: z.strictObject({id: TokenId}),
    output: z.object({data: z.object({revoked: z.literal(true)})}),
  }),
}
