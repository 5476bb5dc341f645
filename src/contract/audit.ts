import {z} from 'zod'
import {id, Instant, numberedPageQuery, PageInfo, pageQuery} from './fields.js'
import {route} from './route.js'

export const AuditSource = z.enum(['dashboard', 'mcp', 'cli', 'api', 'webhook', 'system'])
export type AuditSource = z.output<typeof AuditSource>

export const AuditEntry = z.object({
  id: id('aud'),
  organizationId: z.string(),
  actorUserId: z.string().nullable(),
  actor: z.object({id: z.string(), email: z.string(), name: z.string()}).nullable(),
  eventType: z.string(),
  resourceType: z.string().nullable(),
  resourceId: z.string().nullable(),
  before: z.record(z.string(), z.unknown()).nullable(),
  after: z.record(z.string(), z.unknown()).nullable(),
  ipAddress: z.string().nullable(),
  userAgent: z.string().nullable(),
  source: AuditSource.nullable(),
  sourceClientId: z.string().nullable(),
  createdAt: Instant,
})
export type AuditEntry = z.output<typeof AuditEntry>

export const retentionDaysAllowed = [7, 30, 90, 180, 365] as const
const AuditSettings = z.object({enabled: z.boolean(), retentionDays: z.int(), canManage: z.boolean()})

export const auditRoutes = {
  list: route({
    method: 'GET',
    path: '/api/audit',
    summary: 'read the audit trail, newest first',
    scope: 'audit:read',
    mutates: false,
    query: z.strictObject({
      ...pageQuery(),
      ...numberedPageQuery,
      eventType: z.string().max(200).optional(),
      actorUserId: z.string().max(200).optional(),
      resourceType: z.string().max(200).optional(),
      resourceId: z.string().max(200).optional(),
      source: z.string().max(200).optional(),
      sourceClientId: z.string().max(200).optional().describe('the credential, such as pat:<token id>'),
      from: z.string().max(100).optional().describe('ISO 8601; malformed filters are ignored'),
      to: z.string().max(100).optional(),
    }),
    output: z.object({
      data: z.array(AuditEntry),
      pageInfo: PageInfo.optional(),
      total: z.int().optional(),
      page: z.int().optional(),
      perPage: z.int().optional(),
    }),
  }),
  settings: route({
    method: 'GET',
    path: '/api/audit/settings',
    summary: 'show whether and how long the audit trail is kept',
    scope: 'audit:read',
    mutates: false,
    output: AuditSettings,
  }),
  updateSettings: route({
    method: 'PATCH',
    path: '/api/audit/settings',
    summary: 'turn the audit trail on or off, or change how long it is kept',
    scope: 'audit:write',
    mutates: true,
    body: z.strictObject({
      enabled: z.boolean().optional(),
      retentionDays: z.union(retentionDaysAllowed.map((days) => z.literal(days))).optional(),
    }),
    output: AuditSettings,
  }),
}
