import {Fault} from '../../src/contract/faults.js'
import type {Registry, registryRoutes} from '../../src/contract/registries.js'
import {toInstant, type Clock} from '../clock.js'
import type {RecordEvent} from '../events/event-log.js'
import type {Handlers} from '../http/handlers.js'
import {toRegistryHost} from '../servers/engine/image-ref.js'
import {newId} from '../store/ids.js'
import type {Sealer} from '../store/secrets.js'
import type {Store} from '../store/store.js'
import {passwordContext, Registries, type RegistryRecord} from './records.js'

export interface RegistryParts {
  readonly store: Store
  readonly clock: Clock
  readonly sealer: Sealer
  readonly recordEvent: RecordEvent
}

export function createRegistryHandlers({store, clock, sealer, recordEvent}: RegistryParts): Handlers<typeof registryRoutes> {
  return {
    async list(_input, {principal}) {
      return {data: (await store.find(Registries, 'organization', [principal.organizationId])).map(toView)}
    },

    async save({body: {username, password, ...wish}}, {principal: {organizationId}, actor}) {
      const host = toRegistryHost(wish.host)
      return store.transaction(async (transaction) => {
        const before = await transaction.findOne(Registries, 'host', [organizationId, host])
        const now = toInstant(clock.now())
        const id = before?.id ?? newId('reg')
        const registry = {id, organizationId, host, username, password: sealer.seal(password, passwordContext(id)), createdAt: before?.createdAt ?? now, updatedAt: now}
        await (before === undefined ? transaction.insert(Registries, registry) : transaction.put(Registries, registry))
        const payload = {...(before && {before: {username: before.username}}), after: {username}}
        await recordEvent(transaction, {type: 'registry.saved', organizationId, resourceType: 'registry', resourceId: host, actor, payload})
        return {data: toView(registry)}
      })
    },

    async remove({params}, {principal: {organizationId}, actor}) {
      const host = toRegistryHost(params.host)
      return store.transaction(async (transaction) => {
        const registry = await transaction.findOne(Registries, 'host', [organizationId, host])
        if (registry === undefined) throw new Fault('NOT_FOUND', 'Not found')
        await transaction.delete(Registries, registry.id)
        await recordEvent(transaction, {type: 'registry.removed', organizationId, resourceType: 'registry', resourceId: host, actor, payload: {before: {username: registry.username}}})
        return {success: true as const}
      })
    },
  }
}

function toView({host, username, createdAt, updatedAt}: RegistryRecord): Registry {
  return {host, username, createdAt, updatedAt}
}
