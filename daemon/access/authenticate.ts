import {Fault} from '../../src/contract/faults.js'
import type {Clock} from '../clock.js'
import type {StoreReader} from '../store/store.js'
import type {Principal} from './principal.js'
import {Members, Tokens, Users, type TokenRecord} from './records.js'
import {hashTokenSecret} from './token-secret.js'

export interface Credentials {
  readonly authorization: string | undefined
  /** X-Organization-Id. */
  readonly organizationId: string | undefined
}

// One text for unknown, expired and revoked: a caller learns nothing about tokens that are not his.
const invalidToken = () => new Fault('INVALID_TOKEN', 'the token is unknown, expired or revoked', {suggestions: ['login']})

/** Turns the credentials of a request into the principal it acts for, or refuses. */
export async function authenticate(store: StoreReader, clock: Clock, credentials: Credentials): Promise<Principal> {
  const secret = bearerOf(credentials.authorization)
  const token = await store.findOne(Tokens, 'hash', [hashTokenSecret(secret)])
  if (token === undefined || !isLive(token, clock.now())) throw invalidToken()
  const principal = await principalOf(store, token)
  if (principal === undefined) throw invalidToken()
  if (credentials.organizationId !== undefined && credentials.organizationId !== principal.organizationId) {
    throw new Fault('TOKEN_ORG_SCOPE', 'the token belongs to another organization than X-Organization-Id names')
  }
  return principal
}

export function isLive(token: TokenRecord, now: number): boolean {
  return token.revokedAt === null && (token.expiresAt === null || Date.parse(token.expiresAt) > now)
}

/** The principal of a token: undefined when its owner is gone from the organization. */
export async function principalOf(store: StoreReader, token: TokenRecord): Promise<Principal | undefined> {
  const [member, user] = await Promise.all([
    store.findOne(Members, 'membership', [token.organizationId, token.userId]),
    store.get(Users, token.userId),
  ])
  if (member === undefined || user === undefined) return undefined
  return {
    kind: 'token',
    userId: token.userId,
    organizationId: token.organizationId,
    role: token.scoped ? 'restricted' : member.role,
    memberRole: member.role,
    credentialId: token.id,
    credentialName: token.name,
    readOnly: token.readOnly,
    scoped: token.scoped,
    grants: token.scoped ? token.grants : [],
    expiresAt: token.expiresAt,
    instanceAdmin: user.instanceAdmin && !token.scoped,
  }
}

function bearerOf(authorization: string | undefined): string {
  const match = /^bearer +(\S+) *$/i.exec(authorization ?? '')
  if (match?.[1] === undefined) throw new Fault('UNAUTHORIZED', 'no access token was sent', {suggestions: ['login']})
  return match[1]
}

/** Acts for nobody: what public routes get. */
export const anonymous: Principal = {
  kind: 'anonymous',
  userId: '',
  organizationId: '',
  role: 'restricted',
  memberRole: 'restricted',
  credentialId: '',
  credentialName: '',
  readOnly: true,
  scoped: true,
  grants: [],
  expiresAt: null,
  instanceAdmin: false,
}
