import {valueMask} from '../../src/contract/env-var.js'
import type {Service} from '../../src/contract/services.js'
import type {Sealer} from '../store/secrets.js'
import type {ServiceRecord} from './records.js'
import {inlineEnvContext} from './sealed-fields.js'

/** The environment of a service itself in plain text, without the variables that are set beside it. */
export function openInline(sealer: Sealer, service: Pick<ServiceRecord, 'id' | 'environment'>): Record<string, string> {
  return Object.fromEntries(Object.entries(service.environment).map(([key, sealed]) => [key, sealer.open(sealed, inlineEnvContext(service.id, key))]))
}

/** A service as it goes out: values masked, empty ones shown as empty. */
export function toServiceView(sealer: Sealer, service: ServiceRecord): Service {
  const {organizationId: _organization, upstream, drift, ...fields} = service
  const masked = Object.fromEntries(Object.entries(openInline(sealer, service)).map(([key, value]) => [key, value === '' ? '' : valueMask]))
  const hide = (field: string, value: unknown) => (field === 'environment' ? valueMask : value)
  const changes = drift.map((field) => [field, {from: hide(field, Reflect.get(service, field)), to: hide(field, upstream?.[field])}] as const)
  return {...fields, environment: masked, drift: changes.length === 0 ? null : {changes: Object.fromEntries(changes)}}
}
