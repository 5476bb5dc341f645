import {isSame} from '../../../src/compose/fingerprint.js'
import {driftedFields, mergeUpstream} from '../../../src/compose/merge-upstream.js'
import type {ServiceFields} from '../../../src/compose/to-service-fields.js'
import type {Sealer} from '../../store/secrets.js'
import type {Transaction} from '../../store/store.js'
import {EnvVars, Services, type ProjectRecord, type ServiceRecord} from '../records.js'
import {inlineEnvContext} from '../sealed-fields.js'
import {newService} from '../service-input.js'
import {openInline} from '../service-view.js'

export interface SyncContext {
  readonly sealer: Sealer
  readonly project: Pick<ProjectRecord, 'id' | 'organizationId'>
  readonly now: string
}

/** Lets the services of a project follow its source: new ones are added, gone ones taken away, and what was edited here stays and shows as drift. */
export async function syncServices(transaction: Transaction, upstream: readonly ServiceFields[], context: SyncContext): Promise<void> {
  const rows = await transaction.find(Services, 'project', [context.project.id])
  const names = new Set(upstream.map(({name}) => name))
  for (const row of rows) if (row.upstream !== null && !names.has(row.name)) await removeService(transaction, row)
  const others = rows.filter(({name, upstream: known}) => known === null || names.has(name))
  for (const [index, fields] of upstream.entries()) {
    const row = others.find(({name}) => name === fields.name)
    if (row === undefined) {
      const added = {...newUpstreamService(fields, {...context, others}), sortOrder: index}
      others.push(added)
      await transaction.insert(Services, added)
      continue
    }
    const merged = mergeRow(row, fields, context)
    if (merged !== row) await transaction.put(Services, merged)
  }
}

async function removeService(transaction: Transaction, row: ServiceRecord): Promise<void> {
  const variables = await transaction.find(EnvVars, 'project', [row.projectId])
  for (const variable of variables.filter(({serviceId}) => serviceId === row.id)) await transaction.delete(EnvVars, variable.id)
  await transaction.delete(Services, row.id)
}

/** A new service that follows what its source says. */
export function newUpstreamService(fields: ServiceFields, context: SyncContext & {readonly others: readonly ServiceRecord[]}): ServiceRecord {
  const row = newService(fields, context)
  return {...row, upstream: sealFields(fields, row.id, context.sealer)}
}

/** The row as it was where nothing of it changes. */
function mergeRow(row: ServiceRecord, now: ServiceFields, {sealer, now: at}: SyncContext): ServiceRecord {
  const before = row.upstream === null ? null : openFields(row.upstream, row.id, sealer)
  const plain: ServiceFields = toPlainFields(row, sealer)
  const {row: merged, drift} = mergeUpstream(plain, {before, now, drifted: row.drift})
  const fields = driftedFields(drift)
  if (JSON.stringify([plain, before, row.drift]) === JSON.stringify([merged, now, fields])) return row
  const {environment, ...rest} = merged
  return {...row, ...rest, environment: resealed(row, environment, sealer), upstream: sealFields(now, row.id, sealer), drift: [...fields], updatedAt: at}
}

/** The part of a row that a Compose file speaks of, in plain text. */
export function toPlainFields(row: ServiceRecord, sealer: Sealer): ServiceFields {
  const {name, image, build, dockerfile, ports, volumes, dependsOn, command, commandArgv, restart, advanced} = row
  return {name, image, build, dockerfile, ports, volumes, dependsOn, environment: openInline(sealer, row), command, commandArgv, restart, advanced}
}

function resealed(row: ServiceRecord, environment: Readonly<Record<string, string>>, sealer: Sealer): Record<string, string> {
  const known = openInline(sealer, row)
  const seal = (key: string, value: string) => (known[key] === value && row.environment[key] !== undefined ? row.environment[key] : sealer.seal(value, inlineEnvContext(row.id, key)))
  return Object.fromEntries(Object.entries(environment).map(([key, value]) => [key, seal(key, value)]))
}

function sealFields(fields: ServiceFields, serviceId: string, sealer: Sealer): Record<string, unknown> {
  const environment = Object.entries(fields.environment).map(([key, value]) => [key, sealer.seal(value, inlineEnvContext(serviceId, key))])
  return {...fields, environment: Object.fromEntries(environment)}
}

function openFields(stored: Readonly<Record<string, unknown>>, serviceId: string, sealer: Sealer): ServiceFields {
  // Written by sealFields alone.
  const fields = stored as unknown as ServiceFields
  const environment = Object.entries(fields.environment).map(([key, value]) => [key, sealer.open(value, inlineEnvContext(serviceId, key))])
  return {...fields, environment: Object.fromEntries(environment) as Record<string, string>}
}

/** What of a row is other than its source said, as `image`, `environment.KEY` or `advanced.healthcheck`; nothing for a service that was made by hand. */
export function editedFields(sealer: Sealer, row: ServiceRecord): ReadonlySet<string> {
  if (row.upstream === null) return new Set()
  const [mine, upstream] = [flatten(toPlainFields(row, sealer)), flatten(openFields(row.upstream, row.id, sealer))]
  return new Set([...Object.keys(mine), ...Object.keys(upstream)].filter((field) => !isSame(mine[field], upstream[field])))
}

function flatten({environment, advanced, ...whole}: ServiceFields): Readonly<Record<string, unknown>> {
  const prefixed = (prefix: string, record: Readonly<Record<string, unknown>>) => Object.fromEntries(Object.entries(record).map(([key, value]) => [`${prefix}.${key}`, value]))
  return {...whole, ...prefixed('environment', environment), ...prefixed('advanced', advanced)}
}
