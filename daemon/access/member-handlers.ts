import type {Role} from '../../src/contract/auth.js'
import {Fault} from '../../src/contract/faults.js'
import type {Member, memberRoutes} from '../../src/contract/members.js'
import {toInstant, type Clock} from '../clock.js'
import type {RecordEvent} from '../events/event-log.js'
import type {Handlers} from '../http/handlers.js'
import {newId} from '../store/ids.js'
import type {Store, StoreReader, Transaction} from '../store/store.js'
import {isAtLeast} from './decide.js'
import {tokenRecord} from './mint-token.js'
import type {Principal} from './principal.js'
import {Members, Tokens, Users, type MemberRecord} from './records.js'
import {newTokenSecret} from './token-secret.js'

export interface MemberParts {
  readonly store: Store
  readonly clock: Clock
  readonly tokenPrefix: string
  readonly recordEvent: RecordEvent
}

const firstTokenDays = 7

export function createMemberHandlers(parts: MemberParts): Handlers<typeof memberRoutes> {
  const {store, clock, recordEvent} = parts
  return {
    async list(_input, {principal}) {
      const members = await store.find(Members, 'organization', [principal.organizationId])
      return {data: await Promise.all(members.map((member) => toMemberView(store, member)))}
    },

    async create({body}, {principal, actor}) {
      requireManager(principal, body.role)
      return store.transaction(async (transaction) => {
        await refuseAdministrator(transaction, body.email, principal)
        const added = await addMember(transaction, parts, principal.organizationId, body)
        await recordEvent(transaction, {...memberEvent(added.member, actor), type: 'member.added', payload: {after: {email: body.email, role: body.role}}})
        const view = await toMemberView(transaction, added.member)
        return {data: {...view, token: added.secret, tokenExpiresAt: added.expiresAt}}
      })
    },

    async update({params, body}, {principal, actor}) {
      return store.transaction(async (transaction) => {
        const member = await getMember(transaction, params.id, principal)
        requireManager(principal, member.role)
        requireManager(principal, body.role)
        if (body.role !== 'owner') await keepAnOwner(transaction, member)
        const changed = {...member, role: body.role}
        await transaction.put(Members, changed)
        const payload = {before: {role: member.role}, after: {role: body.role}}
        await recordEvent(transaction, {...memberEvent(member, actor), type: 'member.role_changed', payload})
        return {data: await toMemberView(transaction, changed)}
      })
    },

    async remove({params}, {principal, actor}) {
      return store.transaction(async (transaction) => {
        const member = await getMember(transaction, params.id, principal)
        requireManager(principal, member.role)
        await keepAnOwner(transaction, member)
        await keepAnAdministrator(transaction, member)
        await transaction.delete(Members, member.id)
        const tokensRevoked = await revokeTokens(transaction, member, toInstant(clock.now()))
        await recordEvent(transaction, {...memberEvent(member, actor), type: 'member.removed', payload: {before: {role: member.role, tokensRevoked}}})
        return {data: {removed: true as const, tokensRevoked}}
      })
    },
  }
}

interface NewMember {
  readonly email: string
  readonly name: string
  readonly role: Role
}

async function addMember(transaction: Transaction, parts: MemberParts, organizationId: string, wish: NewMember) {
  const {clock, tokenPrefix} = parts
  const now = toInstant(clock.now())
  const userId = await findOrAddUser(transaction, wish, now)
  const known = await transaction.findOne(Members, 'membership', [organizationId, userId])
  if (known !== undefined) throw new Fault('MEMBER_EXISTS', `${wish.email} is a member already`, {details: {memberId: known.id}, suggestions: ['members list']})
  const member: MemberRecord = {id: newId('mem'), organizationId, userId, role: wish.role, createdAt: now}
  await transaction.insert(Members, member)
  const secret = newTokenSecret(tokenPrefix)
  const expiresAt = toInstant(clock.now() + firstTokenDays * 86_400_000)
  const basis = {userId, organizationId, name: 'first sign-in', readOnly: false, scoped: false, grants: [], expiresAt}
  await transaction.insert(Tokens, tokenRecord(clock.now(), secret, basis))
  return {member, secret, expiresAt}
}

async function findOrAddUser(transaction: Transaction, wish: NewMember, now: string): Promise<string> {
  const email = wish.email.toLowerCase()
  const known = await transaction.findOne(Users, 'email', [email])
  if (known !== undefined) return known.id
  const id = newId('usr')
  await transaction.insert(Users, {id, name: wish.name, email, instanceAdmin: false, createdAt: now, updatedAt: now})
  return id
}

async function getMember(reader: StoreReader, id: string, principal: Principal): Promise<MemberRecord> {
  const member = await reader.get(Members, id)
  if (member === undefined || member.organizationId !== principal.organizationId) throw new Fault('NOT_FOUND', 'Not found')
  return member
}

/** Only owners and administrators manage members, and nobody hands out or touches a role above his own. */
function requireManager(principal: Principal, role: Role): void {
  if (!isAtLeast(principal.role, 'admin')) throw new Fault('INSUFFICIENT_ROLE', 'only owners and administrators manage members')
  if (!isAtLeast(principal.role, role)) throw new Fault('INSUFFICIENT_ROLE', `the role ${role} is above your own, ${principal.role}`)
}

async function keepAnOwner(reader: StoreReader, member: MemberRecord): Promise<void> {
  if (member.role !== 'owner') return
  const owners = await reader.count(Members, 'role', [member.organizationId, 'owner'])
  if (owners <= 1) throw new Fault('LAST_OWNER', 'this is the last owner; make somebody else an owner first', {suggestions: ['members list']})
}

// The answer holds a token of the person: nobody gets one of an administrator of the instance who is none himself.
async function refuseAdministrator(reader: StoreReader, email: string, principal: Principal): Promise<void> {
  const known = await reader.findOne(Users, 'email', [email.toLowerCase()])
  if (known?.instanceAdmin === true && !principal.instanceAdmin) throw new Fault('INSUFFICIENT_ROLE', 'this person administers the instance; only another administrator adds them')
}

// Without one nobody could ever change system jobs or workspaces again.
async function keepAnAdministrator(reader: StoreReader, member: MemberRecord): Promise<void> {
  const user = await reader.get(Users, member.userId)
  if (user?.instanceAdmin !== true) return
  for await (const other of reader.all(Users)) if (other.instanceAdmin && other.id !== user.id) return
  throw new Fault('CONFLICT', 'this is the only administrator of the instance, who can not be removed')
}

async function revokeTokens(transaction: Transaction, member: MemberRecord, now: string): Promise<number> {
  const tokens = await transaction.find(Tokens, 'owner', [member.organizationId, member.userId])
  const live = tokens.filter((token) => token.revokedAt === null)
  for (const token of live) await transaction.put(Tokens, {...token, revokedAt: now})
  return live.length
}

function memberEvent<A>(member: MemberRecord, actor: A) {
  return {organizationId: member.organizationId, resourceType: 'member', resourceId: member.id, actor}
}

async function toMemberView(reader: StoreReader, member: MemberRecord): Promise<Member> {
  const user = await reader.get(Users, member.userId)
  return {id: member.id, userId: member.userId, email: user?.email ?? '', name: user?.name ?? '', role: member.role, createdAt: member.createdAt}
}
