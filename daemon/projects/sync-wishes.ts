import {diffServices, type ServiceChange as Difference} from '../../src/compose/diff-services.js'
import {fromServiceFields} from '../../src/compose/from-service-fields.js'
import type {ComposeService} from '../../src/compose/compose-model.js'
import {toPlainFields} from './deployments/sync-services.js'
import type {ServiceRecord} from './records.js'
import {changeService, newService, type ServiceChange, type ServiceContext, type ServiceWish} from './service-input.js'

export interface SyncPlan {
  /** The services as they are going to be, in the order in which they were given. */
  readonly after: readonly ServiceRecord[]
  readonly gone: readonly ServiceRecord[]
  /** What differs, secrets masked. */
  readonly changes: readonly Difference[]
}

/** What becomes of the services of a project when they are to be those that are given. */
export function planSync(before: readonly ServiceRecord[], wishes: readonly ServiceWish[], {sealer, project, now}: Omit<ServiceContext, 'others'>): SyncPlan {
  const after: ServiceRecord[] = []
  for (const [index, wish] of wishes.entries()) {
    const known = before.find(({name}) => name === wish.name)
    const context = {sealer, project, others: after, now}
    const service = known === undefined ? newService(wish, context) : changeService(known, toWholeChange(known, wish), context)
    after.push({...service, sortOrder: wish.sortOrder ?? index})
  }
  const plain = (service: ServiceRecord): ComposeService => fromServiceFields(toPlainFields(service, sealer), {folder: '.'}).service
  return {after, gone: before.filter(({id}) => !after.some((service) => service.id === id)), changes: diffServices(before.map(plain), after.map(plain))}
}

// What a Compose file speaks of, and does not say.
const unsaid = {image: null, build: null, dockerfile: null, ports: [], volumes: [], dependsOn: [], command: null, commandArgv: null, restart: 'unless-stopped'}

function toWholeChange(known: ServiceRecord, {kind: _kind, ...wish}: ServiceWish): ServiceChange {
  const given = Object.fromEntries(Object.entries(wish).filter(([, value]) => value !== undefined))
  const environment = {...Object.fromEntries(Object.keys(known.environment).map((key) => [key, null])), ...wish.environment}
  return {...unsaid, ...given, environment}
}
