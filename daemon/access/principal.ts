import type {Role, TokenGrant} from '../../src/contract/auth.js'

/** Who a request acts for, after authentication. */
export interface Principal {
  readonly kind: 'token' | 'session' | 'mcp' | 'anonymous'
  readonly userId: string
  /** The organization every record of this request belongs to. */
  readonly organizationId: string
  /** The role in that organization; `restricted` for a scoped credential. */
  readonly role: Role
  /** The person's own role, whatever the credential. */
  readonly memberRole: Role
  readonly credentialId: string
  readonly credentialName: string
  readonly readOnly: boolean
  readonly scoped: boolean
  readonly grants: readonly TokenGrant[]
  readonly expiresAt: string | null
  /** Administers the instance; never true for a scoped credential. */
  readonly instanceAdmin: boolean
}
