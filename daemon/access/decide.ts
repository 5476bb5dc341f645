import type {Role} from '../../src/contract/auth.js'
import type {ResourceType, Scope, ScopeVerb} from '../../src/contract/route.js'
import type {Principal} from './principal.js'

/** What a decision is about; id `*` is the collection as a whole. */
export interface ResourceRef {
  readonly type: ResourceType
  readonly id: string
  readonly organizationId: string | null
}

type Verb = 'read' | 'write' | 'admin'

const strength: Readonly<Record<Verb, number>> = {read: 1, write: 2, admin: 3}
const allTypes: readonly ResourceType[] = [
  'analytics', 'audit', 'backup_destination', 'billing', 'cloud', 'deployment', 'domain', 'github_installation', 'github_repository', 'job',
  'mail_server', 'notifications', 'permissions', 'project', 'server', 'settings', 'updates',
]

// A role is refused whole kinds of resource, never single verbs.
const refusedTypes: Readonly<Record<Exclude<Role, 'restricted'>, readonly ResourceType[]>> = {
  owner: [],
  admin: ['billing'],
  member: ['billing', 'audit'],
}

/** Kinds that are held through another: whoever may write a project may write its domains. */
function rootOf(type: ResourceType): ResourceType {
  return type === 'domain' || type === 'deployment' ? 'project' : type
}

function toVerb(verb: ScopeVerb): Verb {
  return verb === 'list' ? 'read' : verb
}

/** What a role or a grant's permissions amount to; `create` never reads, writes or administers. */
function strongest(permissions: readonly string[]): number {
  return Math.max(0, ...permissions.map((permission) => (permission in strength ? strength[permission as Verb] : 0)))
}

/** Whether a principal may do this to that. The only place where access is decided. */
export function allows(principal: Principal, resource: ResourceRef, verb: ScopeVerb): boolean {
  if (resource.organizationId !== principal.organizationId) return false
  const type = rootOf(resource.type)
  if (principal.role !== 'restricted') return !refusedTypes[principal.role].includes(type)
  const needed = strength[toVerb(verb)]
  return principal.grants.some(
    (grant) => grant.resourceType === type && (grant.resourceId === '*' || grant.resourceId === resource.id) && strongest(grant.permissions) >= needed,
  )
}

/** Whether the principal may create in a collection: by a write on all of it, or by a grant of `create`. */
export function allowsCreate(principal: Principal, type: ResourceType): boolean {
  const collection = {type, id: '*', organizationId: principal.organizationId}
  return allows(principal, collection, 'write') || holdsCreateGrant(principal, type)
}

function holdsCreateGrant(principal: Principal, type: ResourceType): boolean {
  return principal.grants.some(
    (grant) => grant.resourceType === rootOf(type) && grant.resourceId === '*' && grant.permissions.includes('create'),
  )
}

/** Whether the principal holds a route's scope on anything at all; decided before anything is looked up. */
export function holdsScope(principal: Principal, scope: Scope, acceptsCreateGrant: boolean): boolean {
  if (scope === 'public' || scope === 'authenticated') return true
  const [type, verb] = scope.split(':') as [ResourceType, ScopeVerb]
  const root = rootOf(type)
  if (principal.role !== 'restricted') return !refusedTypes[principal.role].includes(root)
  if (acceptsCreateGrant && holdsCreateGrant(principal, root)) return true
  return principal.grants.some((grant) => grant.resourceType === root && strongest(grant.permissions) >= strength[toVerb(verb)])
}

/** What a principal holds, as sorted `type:verb`, for the answer that refuses it. */
export function heldScopes(principal: Principal): string[] {
  if (principal.role !== 'restricted') {
    const refused = refusedTypes[principal.role]
    return allTypes.filter((type) => !refused.includes(type)).map((type) => `${type}:admin`)
  }
  const held = principal.grants.flatMap((grant) => grant.permissions.map((permission) => `${grant.resourceType}:${permission}`))
  return [...new Set(held)].sort()
}

const rank: Readonly<Record<Role, number>> = {restricted: 0, member: 1, admin: 2, owner: 3}

/** Whether the first role is at least as high as the second. */
export function isAtLeast(role: Role, other: Role): boolean {
  return rank[role] >= rank[other]
}
