import {z} from 'zod'
import {Role, TokenGrant} from '../../src/contract/auth.js'
import {defineCollection} from '../store/collection.js'

export const Users = defineCollection({
  name: 'users',
  version: 1,
  schema: z.object({
    id: z.string(),
    name: z.string(),
    /** Lower case. */
    email: z.string(),
    /** Administers the instance: a matter of its own, apart from any role in an organization. */
    instanceAdmin: z.boolean(),
    createdAt: z.string(),
    updatedAt: z.string(),
  }),
  indexes: {email: {fields: ['email'], unique: true}},
})

export const Organizations = defineCollection({
  name: 'organizations',
  version: 1,
  schema: z.object({
    id: z.string(),
    name: z.string(),
    slug: z.string(),
    createdAt: z.string(),
  }),
  indexes: {slug: {fields: ['slug'], unique: true}},
})

export const MemberRecord = z.object({
  id: z.string(),
  organizationId: z.string(),
  userId: z.string(),
  role: Role,
  createdAt: z.string(),
})
export type MemberRecord = z.output<typeof MemberRecord>

export const Members = defineCollection({
  name: 'members',
  version: 1,
  schema: MemberRecord,
  indexes: {
    membership: {fields: ['organizationId', 'userId'], unique: true},
    organization: {fields: ['organizationId']},
    role: {fields: ['organizationId', 'role']},
  },
})

export const TokenRecord = z.object({
  id: z.string(),
  userId: z.string(),
  organizationId: z.string(),
  name: z.string(),
  tokenPrefix: z.string(),
  /** SHA-256 of the whole secret, hex; the only way to find a token by its secret. */
  tokenHash: z.string(),
  readOnly: z.boolean(),
  scoped: z.boolean(),
  grants: z.array(TokenGrant),
  expiresAt: z.string().nullable(),
  lastUsedAt: z.string().nullable(),
  useCount: z.int(),
  revokedAt: z.string().nullable(),
  createdAt: z.string(),
})
export type TokenRecord = z.output<typeof TokenRecord>

export const Tokens = defineCollection({
  name: 'tokens',
  version: 1,
  schema: TokenRecord,
  indexes: {
    hash: {fields: ['tokenHash'], unique: true},
    owner: {fields: ['organizationId', 'userId']},
  },
})
