import {Fault} from '../../src/contract/faults.js'
import {valueMask} from '../../src/contract/env-var.js'
import type {ParsedInput} from '../../src/contract/route.js'
import type {serviceRoutes} from '../../src/contract/services.js'
import {newId} from '../store/ids.js'
import type {Sealer} from '../store/secrets.js'
import type {ProjectRecord, ServiceRecord} from './records.js'
import {inlineEnvContext} from './sealed-fields.js'
import {toHostLabel} from './slug.js'

export type ServiceWish = ParsedInput<typeof serviceRoutes.create>['body']
export type ServiceChange = ParsedInput<typeof serviceRoutes.update>['body']

export interface ServiceContext {
  readonly sealer: Sealer
  readonly project: Pick<ProjectRecord, 'id' | 'organizationId'>
  /** The services that are there already. */
  readonly others: readonly ServiceRecord[]
  readonly now: string
}

/** A new service of a project, or SERVICE_INVALID with the reason. */
export function newService(wish: ServiceWish, context: ServiceContext): ServiceRecord {
  const {project, others, now} = context
  const blank: ServiceRecord = {
    id: newId('svc'), projectId: project.id, organizationId: project.organizationId, kind: wish.kind ?? 'compose', name: wish.name,
    image: null, build: null, dockerfile: null, ports: [], volumes: [], dependsOn: [], environment: {}, command: null, commandArgv: null, restart: 'unless-stopped',
    advanced: {}, exposed: false, exposedPort: null, domain: null, customDomain: null, domainType: 'free', publicEndpoints: [], rootDirectory: null, enabled: true,
    sortOrder: others.length, upstream: null, drift: [], createdAt: now, updatedAt: now,
  }
  const {kind: _kind, ...fields} = wish
  return changeService(blank, fields, context)
}

/** A service with a change: `environment` and `advanced` are merged key by key, every other field is replaced. */
export function changeService(service: ServiceRecord, change: ServiceChange, context: ServiceContext): ServiceRecord {
  const {environment, advanced, ...fields} = change
  const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
  const changed: ServiceRecord = {
    ...service,
    ...given,
    environment: mergeEnvironment(service, environment, context.sealer),
    advanced: mergeKeys(service.advanced, advanced),
    updatedAt: context.now,
  }
  checkService(changed, context.others)
  return changed
}

// An absent key keeps, null removes, the mask keeps.
function mergeEnvironment(service: ServiceRecord, change: ServiceChange['environment'], sealer: Sealer): Record<string, string> {
  const merged = new Map(Object.entries(service.environment))
  for (const [key, value] of Object.entries(change ?? {})) {
    if (value === null) merged.delete(key)
    else if (value !== valueMask) merged.set(key, sealer.seal(value, inlineEnvContext(service.id, key)))
  }
  return Object.fromEntries(merged)
}

function mergeKeys(before: Readonly<Record<string, unknown>>, change: Readonly<Record<string, unknown>> | undefined): Record<string, unknown> {
  const merged = {...before, ...change}
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null))
}

function checkService(service: ServiceRecord, others: readonly ServiceRecord[]): void {
  if (service.kind === 'monorepo' && service.rootDirectory === null) throw invalid('monorepo-service-requires-rootDirectory', 'a service of kind monorepo needs rootDirectory')
  if (!/^[a-zA-Z0-9]/.test(service.name) || toHostLabel(service.name) === 'service' && service.name.toLowerCase() !== 'service') {
    throw invalid('service-name-required', `"${service.name}" can not be a host name; use letters, digits and hyphens`)
  }
  const taken = new Map(others.filter(({id}) => id !== service.id).flatMap((other) => namesOf(other).map((name) => [name, other.name])))
  const holder = taken.get(toHostLabel(service.name))
  if (holder !== undefined) throw invalid('service-name-already-exists', `the service ${holder} has the host name ${toHostLabel(service.name)} already`)
  const {alias} = service.advanced
  if (alias === undefined) return
  if (typeof alias !== 'string' || !/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(alias)) throw invalid('service-alias-invalid', 'an alias is a host name: lower-case letters, digits and inner hyphens')
  if (taken.has(alias)) throw invalid('service-alias-conflict', `the alias ${alias} is the host name of ${taken.get(alias) ?? ''}`)
}

function namesOf(service: ServiceRecord): string[] {
  const {alias} = service.advanced
  return typeof alias === 'string' ? [toHostLabel(service.name), alias] : [toHostLabel(service.name)]
}

function invalid(reason: string, message: string): Fault {
  return new Fault('SERVICE_INVALID', message, {details: {reason}})
}
