import type {AuditSource} from '../../src/contract/audit.js'
import type {EventType} from '../../src/contract/events.js'

/** Who did it, for the audit trail. */
export interface Actor {
  readonly userId: string | null
  readonly source: AuditSource
  /** `pat:<id>` or `oauth:<client>`. */
  readonly clientId: string | null
  readonly ipAddress: string | null
  readonly userAgent: string | null
}

export const systemActor: Actor = {userId: null, source: 'system', clientId: null, ipAddress: null, userAgent: null}

/** An event as an area reports it, in the transaction of the change that caused it. */
export interface NewEvent {
  readonly type: EventType
  readonly organizationId: string | null
  readonly resourceType: string
  readonly resourceId: string
  readonly actor: Actor
  /** What readers need; never a secret. For audited events `before` and `after` become the snapshots of the audit row. */
  readonly payload: Readonly<Record<string, unknown>>
}
