import type {SettingField} from '../definition.js'
import type {DraftService} from './draft-service.js'
import type {FieldPlan, Site} from './field-plan.js'
import type {ImportContext} from './import-context.js'
import {resolveReference} from './interpolation.js'
import {labelOf} from '../name-texts.js'
import type {Reference} from '../../compose/interpolation.js'
import type {Bindings} from './plan-secrets.js'
import {findUses, literalText, wholeReference, type VariableUses} from './variable-uses.js'

/** Gives every variable that is no secret its place: a setting, a field that is asked for, or its value written out. */
export function planVariables(services: readonly DraftService[], plan: FieldPlan, bindings: Bindings, context: ImportContext): void {
  const sites = findSites(services)
  for (const uses of findUses(services).values()) {
    if (bindings.variables.has(uses.name)) continue
    const own = (sites.get(uses.name) ?? []).filter((site) => plan.writtenAt(site) === undefined)
    const copies = countCopies(services, uses.name)
    const isAlone = uses.references.length === 1 && own.length === 1 && copies === 0
    const [site] = own
    if (isAlone && site !== undefined) addSetting(site, uses, plan, context)
    // The one place of it is written by a secret setting.
    else if (own.length === 0 && uses.references.length === 1 && sites.has(uses.name)) continue
    else if (uses.references.some((reference) => resolveReference(reference, context.variables).missing.length > 0)) askFor(uses, own, plan, bindings)
    else noteValue(uses, copies, context)
  }
}

// Of a variable in an env_file every service that reads the file has a copy under its name, which a setting would not change.
function countCopies(services: readonly DraftService[], name: string): number {
  return services.flatMap(({environment}) => environment).filter(({key, parts}) => key === name && literalText(parts) !== undefined).length
}

function findSites(services: readonly DraftService[]): ReadonlyMap<string, Site[]> {
  const sites = new Map<string, Site[]>()
  for (const {name: service, environment} of services) {
    for (const {key, parts} of environment) {
      const name = wholeReference(parts)?.name
      if (name !== undefined) sites.set(name, [...(sites.get(name) ?? []), {service, key}])
    }
  }
  return sites
}

function addSetting({service, key}: Site, {references}: VariableUses, plan: FieldPlan, {variables}: ImportContext): void {
  const [reference] = references
  if (reference === undefined) return
  const preset = resolveReference(reference, variables).text
  const isRequired = reference.operator.endsWith('?')
  const message = isRequired ? textOf(reference) : ''
  plan.addSetting({
    key, service, label: labelOf(key), ...typeFor(preset),
    ...(message !== '' && {help: message}),
    ...(preset !== '' && {default: preset}),
    ...((isRequired || preset === '') && {installStep: true}),
    ...(isRequired && {required: true}),
  })
}

const textOf = ({argument}: Reference) => argument.filter((part) => typeof part === 'string').join('').trim()

function typeFor(preset: string): Pick<SettingField, 'type' | 'integer'> {
  if (preset === 'true' || preset === 'false') return {type: 'boolean'}
  if (/^\d{1,9}$/.test(preset)) return {type: 'number', integer: true}
  return {type: preset.includes('\n') ? 'textarea' : 'text'}
}

function askFor(uses: VariableUses, sites: readonly Site[], plan: FieldPlan, {variables}: Bindings): void {
  const help = uses.references.map((reference) => (reference.operator.endsWith('?') ? textOf(reference) : '')).find((text) => text !== '')
  variables.set(uses.name, plan.addFields({sites, services: uses.services, name: uses.name, type: 'text', required: true, ...(help !== undefined && {help})}))
}

function noteValue({name, references, services}: VariableUses, copies: number, {variables, notes}: ImportContext): void {
  const values = [...new Set(references.map((reference) => resolveReference(reference, variables).text))]
  const places = references.length + copies
  const why = `${name} stands in ${places === 1 ? 'a longer text' : `${places} places`} and was written as ${values.map((value) => JSON.stringify(value)).join(' or ')}`
  notes.add({level: 'changed', service: services[0] ?? null, key: 'environment', why, todo: 'make it a config field and write {{config:KEY}}, if people should choose it'})
}
