import {z} from 'zod'
import {Role} from './auth.js'
import {id, Instant} from './fields.js'
import {route} from './route.js'

export const MemberId = id('mem')

export const Member = z.object({
  id: MemberId,
  userId: id('usr'),
  email: z.string(),
  name: z.string(),
  role: Role,
  createdAt: Instant,
})
export type Member = z.output<typeof Member>

export const memberRoutes = {
  list: route({
    method: 'GET',
    path: '/api/members',
    summary: 'list the members of the organization',
    scope: 'permissions:read',
    mutates: false,
    output: z.object({data: z.array(Member)}),
  }),
  create: route({
    method: 'POST',
    path: '/api/members',
    summary: 'add a person; the answer holds a token of theirs that ends in 7 days',
    scope: 'permissions:write',
    mutates: true,
    status: 201,
    body: z.strictObject({
      email: z.email().max(254),
      name: z.string().trim().min(1).max(100),
      role: Role.default('member'),
    }),
    output: z.object({data: Member.extend({token: z.string().describe('the secret of the first token'), tokenExpiresAt: Instant})}),
    errors: ['INSUFFICIENT_ROLE', 'MEMBER_EXISTS'],
  }),
  update: route({
    method: 'PATCH',
    path: '/api/members/:id',
    summary: 'change the role of a member',
    scope: 'permissions:write',
    mutates: true,
    params: z.strictObject({id: MemberId}),
    body: z.strictObject({role: Role}),
    output: z.object({data: Member}),
    errors: ['INSUFFICIENT_ROLE', 'LAST_OWNER'],
  }),
  remove: route({
    method: 'DELETE',
    path: '/api/members/:id',
    summary: 'remove a member; their tokens for this organization end at once',
    scope: 'permissions:write',
    mutates: true,
    params: z.strictObject({id: MemberId}),
    output: z.object({data: z.object({removed: z.literal(true), tokensRevoked: z.int()})}),
    errors: ['INSUFFICIENT_ROLE', 'LAST_OWNER'],
  }),
}
