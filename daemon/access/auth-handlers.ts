import type {authRoutes} from '../../src/contract/auth.js'
import {Fault} from '../../src/contract/faults.js'
import type {Handlers} from '../http/handlers.js'
import type {StoreReader} from '../store/store.js'
import {Organizations, Users} from './records.js'

export function createAuthHandlers(store: StoreReader): Handlers<typeof authRoutes> {
  return {
    async whoami(_input, {principal}) {
      const [user, organization] = await Promise.all([store.get(Users, principal.userId), store.get(Organizations, principal.organizationId)])
      if (user === undefined || organization === undefined) throw new Fault('INVALID_TOKEN', 'the owner of this token is gone')
      return {
        data: {
          user: {id: user.id, name: user.name, email: user.email},
          organization: {id: organization.id, name: organization.name, slug: organization.slug},
          role: principal.role,
          memberRole: principal.memberRole,
          instanceAdmin: principal.instanceAdmin,
          credential: {
            kind: principal.kind === 'anonymous' ? 'session' : principal.kind,
            id: principal.credentialId,
            name: principal.credentialName,
            readOnly: principal.readOnly,
            scoped: principal.scoped,
            grants: [...principal.grants],
            expiresAt: principal.expiresAt,
          },
        },
      }
    },
  }
}
