import {grantableTypes, singletonTypes, type Permission, type TokenGrant} from '../../src/contract/auth.js'
import {Fault} from '../../src/contract/faults.js'
import type {ResourceType, ScopeVerb} from '../../src/contract/route.js'
import {toInstant, type Clock} from '../clock.js'
import {newId} from '../store/ids.js'
import type {StoreReader, Transaction} from '../store/store.js'
import {allows, allowsCreate} from './decide.js'
import type {Principal} from './principal.js'
import {Tokens, type TokenRecord} from './records.js'
import {displayPrefix, hashTokenSecret, newTokenSecret} from './token-secret.js'

/** Whether a resource with this id is there in the organization; kinds without records of their own answer false. */
export type ResourceExists = (reader: StoreReader, type: string, id: string, organizationId: string) => Promise<boolean>

export interface MintRules {
  readonly clock: Clock
  readonly tokenPrefix: string
  readonly cloud: boolean
  readonly resourceExists: ResourceExists
}

export interface TokenWish {
  readonly name: string
  readonly readOnly: boolean
  readonly expiresInDays?: number | undefined
  readonly grants?: readonly TokenGrant[] | undefined
  readonly fullAccess?: boolean | undefined
}

const dayMs = 86_400_000

/** Makes a token that is never wider than who asks for it. Answers the record and the secret, which is kept nowhere. */
export async function mintToken(transaction: Transaction, minter: Principal, wish: TokenWish, rules: MintRules): Promise<{token: TokenRecord; secret: string}> {
  const grants = intendedGrants(wish)
  for (const grant of grants ?? []) await checkGrant(transaction, minter, grant, rules)
  if (grants === undefined && minter.scoped) throw exceeds('fullAccess: a scoped token can not make an unscoped one')
  const now = rules.clock.now()
  const expiresAt = wish.expiresInDays === undefined ? null : toInstant(now + wish.expiresInDays * dayMs)
  if (minter.scoped && minter.expiresAt !== null && (expiresAt === null || expiresAt > minter.expiresAt)) {
    throw exceeds(`expiresInDays: a scoped token that ends at ${minter.expiresAt} can not make one that lives longer`)
  }
  const secret = newTokenSecret(rules.tokenPrefix)
  const token = tokenRecord(now, secret, {
    userId: minter.userId,
    organizationId: minter.organizationId,
    name: wish.name,
    readOnly: wish.readOnly,
    scoped: grants !== undefined,
    grants: grants ?? [],
    expiresAt,
  })
  await transaction.insert(Tokens, token)
  return {token, secret}
}

type TokenBasis = Pick<TokenRecord, 'userId' | 'organizationId' | 'name' | 'readOnly' | 'scoped' | 'grants' | 'expiresAt'>

/** A fresh row for a secret. */
export function tokenRecord(now: number, secret: string, basis: TokenBasis): TokenRecord {
  return {
    ...basis,
    id: newId('pat'),
    tokenPrefix: displayPrefix(secret),
    tokenHash: hashTokenSecret(secret),
    lastUsedAt: null,
    useCount: 0,
    revokedAt: null,
    createdAt: toInstant(now),
  }
}

/** The grants that were meant, or undefined for full access. Scope is never guessed: nothing said is refused. */
export function intendedGrants(wish: Pick<TokenWish, 'grants' | 'fullAccess'>): TokenGrant[] | undefined {
  const usable = (wish.grants ?? []).filter((grant) => grant.permissions.length > 0)
  if (usable.length > 0 && wish.fullAccess === true) {
    throw new Fault('AMBIGUOUS_TOKEN_SCOPE', 'give grants or fullAccess: true, not both')
  }
  if (usable.length === 0 && wish.fullAccess !== true) {
    throw new Fault('TOKEN_SCOPE_REQUIRED', 'say what the token may do: grants, or fullAccess: true')
  }
  return usable.length === 0 ? undefined : mergeGrants(usable)
}

// The same resource named twice is one grant with both permissions.
function mergeGrants(grants: readonly TokenGrant[]): TokenGrant[] {
  const merged = new Map<string, TokenGrant>()
  for (const grant of grants) {
    const key = `${grant.resourceType} ${grant.resourceId}`
    const known = merged.get(key)
    const permissions = [...new Set([...(known?.permissions ?? []), ...grant.permissions])] as Permission[]
    merged.set(key, {...known, ...grant, permissions})
  }
  return [...merged.values()]
}

async function checkGrant(reader: StoreReader, minter: Principal, grant: TokenGrant, rules: MintRules): Promise<void> {
  const {resourceType, resourceId, permissions} = grant
  const resourceTypes: readonly string[] = grantableTypes.filter((type) => type !== 'billing' || rules.cloud)
  if (!resourceTypes.includes(resourceType)) {
    throw new Fault('INVALID_RESOURCE_TYPE', `${resourceType} is no kind of resource that can be granted`, {details: {resourceTypes}})
  }
  if (singletonTypes.includes(resourceType) && resourceId !== '*') {
    throw new Fault('SINGLETON_REQUIRES_WILDCARD', `${resourceType} is granted as a whole: resourceId must be *`)
  }
  const isCreateOnly = permissions.length === 1 && permissions[0] === 'create'
  if (resourceType === 'project' && resourceId === '*' && !isCreateOnly) {
    throw new Fault('INVALID_GRANT_SCOPE', 'project / * takes exactly the permission create')
  }
  if (permissions.includes('create') && (resourceType !== 'project' || resourceId !== '*')) {
    throw new Fault('INVALID_GRANT_SCOPE', `create is for the collection project / * only, not ${resourceType} / ${resourceId}`)
  }
  if (!(await isWithin(reader, minter, grant, rules))) throw exceeds(`${resourceType} / ${resourceId}`)
}

async function isWithin(reader: StoreReader, minter: Principal, grant: TokenGrant, rules: MintRules): Promise<boolean> {
  const type = grant.resourceType as ResourceType
  if (grant.permissions.includes('create')) return allowsCreate(minter, type)
  const resource = {type, id: grant.resourceId, organizationId: minter.organizationId}
  if (!allows(minter, resource, strongestVerb(grant.permissions))) return false
  if (grant.resourceId === '*' || type.startsWith('github_')) return true
  return rules.resourceExists(reader, type, grant.resourceId, minter.organizationId)
}

function strongestVerb(permissions: readonly Permission[]): ScopeVerb {
  if (permissions.includes('admin')) return 'admin'
  return permissions.includes('write') ? 'write' : 'read'
}

function exceeds(what: string): Fault {
  return new Fault('GRANT_EXCEEDS_ACCESS', `beyond your own access: ${what}`)
}
