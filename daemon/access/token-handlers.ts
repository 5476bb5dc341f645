import type {Token, tokenRoutes} from '../../src/contract/tokens.js'
import {Fault} from '../../src/contract/faults.js'
import {toInstant} from '../clock.js'
import type {RecordEvent} from '../events/event-log.js'
import type {Handlers} from '../http/handlers.js'
import type {Store} from '../store/store.js'
import {mintToken, type MintRules} from './mint-token.js'
import {Tokens, type TokenRecord} from './records.js'
import type {TokenUse} from './token-use.js'

export interface TokenParts {
  readonly store: Store
  readonly use: TokenUse
  readonly rules: MintRules
  readonly recordEvent: RecordEvent
}

export function createTokenHandlers({store, use, rules, recordEvent}: TokenParts): Handlers<typeof tokenRoutes> {
  const {clock} = rules
  return {
    async list(_input, {principal}) {
      const tokens = await store.find(Tokens, 'owner', [principal.organizationId, principal.userId])
      return {data: tokens.reverse().map((token) => toTokenView(use.current(token)))}
    },

    async create({body}, {principal, actor}) {
      const {token, secret} = await store.transaction(async (transaction) => {
        const minted = await mintToken(transaction, principal, body, rules)
        await recordEvent(transaction, {
          type: 'token.created',
          organizationId: principal.organizationId,
          resourceType: 'token',
          resourceId: minted.token.id,
          actor,
          payload: {after: {name: body.name, readOnly: body.readOnly, scoped: minted.token.scoped, grantCount: minted.token.grants.length}},
        })
        return minted
      })
      return {data: {...toTokenView(token), token: secret}}
    },

    async revoke({params}, {principal, actor}) {
      await store.transaction(async (transaction) => {
        const token = await transaction.get(Tokens, params.id)
        const isOwn = token?.userId === principal.userId && token.organizationId === principal.organizationId
        if (token === undefined || !isOwn || token.revokedAt !== null) throw new Fault('NOT_FOUND', 'Not found')
        await transaction.put(Tokens, {...use.current(token), revokedAt: toInstant(clock.now())})
        await recordEvent(transaction, {
          type: 'token.revoked',
          organizationId: principal.organizationId,
          resourceType: 'token',
          resourceId: token.id,
          actor,
          payload: {before: {name: token.name, readOnly: token.readOnly, scoped: token.scoped}},
        })
      })
      return {data: {revoked: true as const}}
    },
  }
}

export function toTokenView(token: TokenRecord): Token {
  const {id, name, tokenPrefix, readOnly, scoped, expiresAt, lastUsedAt, useCount, revokedAt, createdAt} = token
  return {id, name, tokenPrefix, readOnly, scoped, expiresAt, lastUsedAt, useCount, revokedAt, createdAt}
}
