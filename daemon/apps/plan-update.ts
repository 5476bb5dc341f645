import {buildFolder} from '../../src/catalog/build-folder.js'
import {filesOf, type AppDefinition} from '../../src/catalog/definition.js'
import type {InlinedText} from '../../src/catalog/inline-config.js'
import {canonicalJson} from '../../src/compose/fingerprint.js'
import type {appProjectRoutes} from '../../src/contract/app-projects.js'
import type {HandlerResult} from '../../src/contract/route.js'
import {mainPortOf, toAppServices} from './app-services.js'

type Plan = HandlerResult<typeof appProjectRoutes.updatePlan>['data']
type ServiceChanges = Plan['services'][number]

export interface Versions {
  readonly before: AppDefinition
  readonly now: AppDefinition
}

/** Whether something was changed by hand, by service and by the name of the field. */
export type IsEdited = (service: string, field: string) => boolean

/** What differs between two versions of a definition, service by service, in the words of the definitions: no value of an install is part of it. */
export function diffServices({before, now}: Versions, isEdited: IsEdited): ServiceChanges[] {
  const [old, fresh] = [describe(before), describe(now)]
  const names = [...new Set([...fresh.keys(), ...old.keys()])]
  return names.flatMap((service): ServiceChanges[] => {
    const [from, to] = [old.get(service), fresh.get(service)]
    const fields = diffFields(from ?? new Map(), to ?? new Map()).map((change) => ({...change, edited: from !== undefined && to !== undefined && isEdited(service, change.field)}))
    if (fields.length === 0) return []
    return [{service, change: from === undefined ? 'added' : to === undefined ? 'removed' : 'changed', fields}]
  })
}

function diffFields(from: Fields, to: Fields): {field: string; from: string | null; to: string | null}[] {
  const names = [...new Set([...from.keys(), ...to.keys()])]
  return names.filter((field) => from.get(field) !== to.get(field)).map((field) => ({field, from: from.get(field) ?? null, to: to.get(field) ?? null}))
}

type Fields = ReadonlyMap<string, string>

function describe(definition: AppDefinition): ReadonlyMap<string, Fields> {
  const {services = [], prepare = []} = definition
  const described = new Map<string, Map<string, string>>()
  // As they are written, with their placeholders.
  const texts = services.map(({name, environment = {}}) => ({name, build: null, environment: Object.fromEntries(Object.entries(environment).map(([key, text]): [string, InlinedText] => [key, {text, isSecret: false}]))}))
  for (const {name, environment, advanced, ...whole} of toAppServices(definition, {services: texts})) {
    described.set(name, new Map([...entriesOf('', whole), ...entriesOf('environment.', environment), ...entriesOf('advanced.', advanced)]))
  }
  for (const service of services) {
    const fields = described.get(service.name)
    const port = mainPortOf(service)
    if (port !== null) fields?.set('exposedPort', port)
    if (service.build === undefined) continue
    fields?.set(`build ${buildFolder(service.name)}/Dockerfile`, service.build.dockerfile)
    for (const {path, content} of service.build.files ?? []) fields?.set(`build ${buildFolder(service.name)}/${path}`, content)
  }
  for (const {service, path, content} of filesOf(definition)) described.get(service)?.set(`file ${path}`, content)
  for (const {service, capture, command} of prepare) described.get(service)?.set(`prepare ${capture}`, command)
  return described
}

function entriesOf(prefix: string, record: Readonly<Record<string, unknown>>): [string, string][] {
  const isSaid = (value: unknown) => value !== null && value !== undefined && !(Array.isArray(value) && value.length === 0)
  return Object.entries(record).flatMap(([key, value]) => (isSaid(value) ? [[`${prefix}${key}`, typeof value === 'string' ? value : canonicalJson(value)]] : []))
}
