import {randomBytes} from 'node:crypto'
import type {AppDefinition} from '../../src/catalog/definition.js'
import {inlineConfig, type EnvironmentRow} from '../../src/catalog/inline-config.js'
import {resolveValues, type ResolvedValues, type StoredValue} from '../../src/catalog/resolve-values.js'
import {isSame} from '../../src/compose/fingerprint.js'
import type {appProjectRoutes} from '../../src/contract/app-projects.js'
import {Fault, invalidInput} from '../../src/contract/faults.js'
import type {HandlerResult} from '../../src/contract/route.js'
import {toInstant} from '../clock.js'
import type {Actor} from '../events/record.js'
import {definitionOf} from '../projects/app-definition.js'
import {readStoredValues, servicesOfProject, updateAppProject, writeAppEnv, type AppProject} from '../projects/app-projects.js'
import {editedFields} from '../projects/deployments/sync-services.js'
import type {StoreReader, Transaction} from '../store/store.js'
import {mainPortOf, toAppServices} from './app-services.js'
import type {InstallParts} from './install-app.js'
import {diffServices, type Versions} from './plan-update.js'

type Plan = HandlerResult<typeof appProjectRoutes.updatePlan>['data']
type UpdateParts = Omit<InstallParts, 'findApp' | 'store'>

interface Update extends Versions {
  readonly stored: readonly StoredValue[]
  /** Values of the version before, as they were written. */
  readonly old: ResolvedValues
  readonly fresh: ResolvedValues
}

/** What an update would do; nothing is changed. */
export async function planUpdate(parts: UpdateParts, reader: StoreReader, project: AppProject, now: AppDefinition | undefined): Promise<Plan> {
  const before = definitionOf(project)
  const {appTemplateId} = project
  if (before === undefined || now === undefined || isSame(before, now)) return {appTemplateId, upToDate: true, services: [], generated: []}
  const update = await prepareUpdate(parts, reader, project, {before, now})
  const edited = new Map((await servicesOfProject(reader, project.id)).map((service) => [service.name, editedFields(parts.sealer, service)]))
  const overrides = overriddenKeys(update)
  const services = diffServices(update, (service, field) => edited.get(service)?.has(field) === true || overrides.has(`${service}\n${field}`))
  return {appTemplateId, upToDate: false, services, generated: update.fresh.writes.filter(({isGenerated}) => isGenerated).map(({service, key}) => `${service}.${key}`)}
}

/** Brings the services, values and definition of a project to another version. What was changed by hand stays. */
export async function updateApp(parts: UpdateParts, transaction: Transaction, {project, now, actor}: {readonly project: AppProject; readonly now: AppDefinition | undefined; readonly actor: Actor}): Promise<boolean> {
  const before = definitionOf(project)
  if (before === undefined || now === undefined) throw new Fault('VALIDATION_ERROR', 'this project was not made from an app: there is nothing to update it to', {errors: [{path: '', message: 'was not made from an app'}]})
  if (isSame(before, now)) return false
  const update = await prepareUpdate(parts, transaction, project, {before, now})
  refuseUnknown(update)
  const at = toInstant(parts.clock.now())
  const inlined = inlineConfig(now, update.fresh)
  const ports = new Map((before.services ?? []).map((service) => [service.name, mainPortOf(service)]))
  const freshPorts = new Map((now.services ?? []).map((service) => [service.name, mainPortOf(service)]))
  const services = toAppServices(now, inlined).map((fields) => ({fields, exposedPort: freshPorts.get(fields.name) ?? null, exposedPortBefore: ports.get(fields.name) ?? null}))
  await updateAppProject(transaction, parts.sealer, {project, definition: now, services, now: at})
  await writeAppEnv(transaction, parts.sealer, {project, ...changedRows(update, inlined.rows), now: at})
  await parts.recordEvent(transaction, {
    type: 'project.updated', organizationId: project.organizationId, resourceType: 'project', resourceId: project.id, actor,
    payload: {after: {templateId: now.id, services: services.map(({fields}) => fields.name), generated: update.fresh.writes.map(({service, key}) => `${service}.${key}`)}},
  })
  return true
}

async function prepareUpdate({sealer, clock}: UpdateParts, reader: StoreReader, project: AppProject, {before, now}: Versions): Promise<Update> {
  const stored = await readStoredValues(reader, sealer, project)
  const madeServices = (await servicesOfProject(reader, project.id)).map(({name}) => name)
  const sources = {config: {}, random: randomBytes, nowMs: clock.now()}
  const old = resolveValues(before, {...sources, stored, madeServices})
  // Copies of them were written by the version before: another value must not be made.
  const lost = old.kept.filter(({reason}) => reason === 'inlined').map(({service, key}) => ({service, key, value: null}))
  return {before, now, stored, old, fresh: resolveValues(now, {...sources, stored: [...stored, ...lost], madeServices: []})}
}

function refuseUnknown({fresh, now}: Update): void {
  const [first] = fresh.missing
  if (first !== undefined) throw invalidInput(fresh.missing.map(({service, key, label}) => ({path: `/${service}/${key}`, message: `${label} is required now; set ${key} of ${service} first`})))
  const used = fresh.kept.find(({reason, key}) => reason !== 'stored' && JSON.stringify(now).includes(`config:${key}`))
  if (used !== undefined) throw new Fault('CONFLICT', `${used.key} of ${used.service} can not be read, and the new version is made with it; set it anew first`)
}

// Entries that are secrets lie beside their service, with values written into them.
function secretRows(definition: AppDefinition, rows: readonly EnvironmentRow[]): readonly EnvironmentRow[] {
  const isEntry = ({service, key}: EnvironmentRow) => definition.services?.some(({name, secretEnv, environment}) => name === service && secretEnv?.includes(key) === true && environment?.[key] !== undefined) === true
  return rows.filter(isEntry)
}

const idOf = ({service, key}: {readonly service: string | null; readonly key: string}): string => `${service}\n${key}`

/** Entries of definitions in whose place somebody has put a value. */
function overriddenKeys({before, stored, old}: Update): ReadonlySet<string> {
  const written = new Map(inlineConfig(before, old).rows.map((row) => [idOf(row), row.value]))
  return new Set(stored.filter((row) => row.value === null || row.value !== written.get(idOf(row))).map(({service, key}) => `${service}\nenvironment.${key}`))
}

function changedRows(update: Update, rows: readonly EnvironmentRow[]): {rows: EnvironmentRow[]; removed: {service: string; key: string}[]} {
  const present = new Map(update.stored.map((row) => [idOf(row), row.value]))
  const before = secretRows(update.before, inlineConfig(update.before, update.old).rows)
  const written = new Map(before.map((row) => [idOf(row), row.value]))
  const fresh = secretRows(update.now, rows)
  const isUntouched = (row: EnvironmentRow) => present.get(idOf(row)) === written.get(idOf(row))
  const made = new Set(update.fresh.writes.map(idOf))
  const kept = new Set(rows.map(idOf))
  return {
    rows: [...fresh.filter((row) => isUntouched(row)), ...rows.filter((row) => made.has(idOf(row)))],
    removed: before.filter((row) => isUntouched(row) && !kept.has(idOf(row))),
  }
}
