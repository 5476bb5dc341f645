import {applySettings, type SettingChange} from '../catalog/apply-settings.js'
import type {AppDefinition, ConfigField} from '../catalog/definition.js'
import {servedPorts} from '../catalog/endpoints.js'
import type {EnvironmentRow} from '../catalog/inline-config.js'
import type {GivenUrl} from '../catalog/public-urls.js'
import {groupOf, type StoredValue} from '../catalog/resolve-values.js'
import {Fault} from '../contract/faults.js'
import {findClosest} from '../text/edit-distance.js'
import {parsePairs} from './pairs.js'

/** What the flags say of the values of an app. */
export interface GivenValues {
  readonly config: Readonly<Record<string, string>>
  /** For generated fields: used as if an install had stored them. */
  readonly stored: readonly StoredValue[]
  readonly settings: readonly EnvironmentRow[]
}

/** Reads `--set KEY=VALUE` for config fields and `--set SERVICE.KEY=VALUE` for settings. */
export function readSetFlags(definition: AppDefinition, texts: readonly string[]): GivenValues {
  const config: [string, string][] = []
  const stored: StoredValue[] = []
  const changes: SettingChange[] = []
  for (const [name, value] of Object.entries(parsePairs(texts, '--set'))) {
    const {fields, settings} = findTargets(definition, name)
    for (const field of fields) {
      if (field.generate === undefined) config.push([field.key, value])
      else stored.push({service: field.service, key: field.key, value})
    }
    changes.push(...settings.map((setting) => ({...setting, value})))
  }
  refuseSplitGroups(definition, stored)
  return {config: Object.fromEntries(config), stored, settings: checkSettings(definition, changes)}
}

interface Targets {
  readonly fields: readonly ConfigField[]
  readonly settings: readonly {readonly service: string; readonly key: string}[]
}

// A value that an install makes goes into everything made of it, so it comes before the setting of the same name.
function findTargets(definition: AppDefinition, name: string): Targets {
  const {configFields = []} = definition
  const settings = (definition.settings ?? []).flatMap((group) => group.fields).map(({service, key}) => ({service, key}))
  const isMeant = ({service, key}: {service: string; key: string}): boolean => key === name || `${service}.${key}` === name
  const fields = configFields.filter(isMeant)
  const chosen = settings.filter(isMeant).filter(({service, key}) => !fields.some((field) => field.service === service && field.key === key))
  if (fields.length > 0) return {fields, settings: []}
  if (chosen.length === 1) return {fields, settings: chosen}
  if (chosen.length > 1) throw new Fault('USAGE', `--set ${name}: ${chosen.length} services have this setting; give ${chosen.map(({service, key}) => `${service}.${key}`).join(' or ')}`)
  throw unknownName(name, [...configFields.map(({key}) => key), ...settings.flatMap(({service, key}) => [key, `${service}.${key}`])])
}

function unknownName(name: string, known: readonly string[]): Fault {
  const meant = findClosest(name, known)
  const hint = meant === undefined ? (known.length === 0 ? '; it has none' : `; there are ${[...new Set(known)].join(', ')}`) : `; did you mean ${meant}?`
  return new Fault('USAGE', `--set ${name}: the app has no such value${hint}`, {details: {name, known: [...new Set(known)]}})
}

// What a group shares can not be two things.
function refuseSplitGroups({configFields = []}: AppDefinition, stored: readonly StoredValue[]): void {
  const seen = new Map<string, StoredValue>()
  for (const entry of stored) {
    const field = configFields.find(({service, key, generate}) => generate === 'secret' && service === entry.service && key === entry.key)
    if (field === undefined) continue
    const other = seen.get(groupOf(field))
    if (other !== undefined && other.value !== entry.value) throw new Fault('USAGE', `--set: ${other.key} and ${entry.key} share one value; give the same for both, or one of them`)
    seen.set(groupOf(field), entry)
  }
}

function checkSettings(definition: AppDefinition, changes: readonly SettingChange[]): readonly EnvironmentRow[] {
  const plan = applySettings(definition, {changes})
  if (!plan.isRefused) return plan.rows
  const [first] = plan.problems
  throw new Fault('USAGE', `--set ${first?.key ?? ''}: ${plan.problems.map(({message}) => message).join('; ')}`)
}

/** Whether a value of --url is the address of the instance, and not of a service. */
export function isInstanceUrl(text: string): boolean {
  return /^https?:\/\//i.test(text)
}

/** Reads `--url SERVICE[:PORT]=URL`. */
export function readUrlFlags({services = []}: AppDefinition, texts: readonly string[]): GivenUrl[] {
  return texts.map((text) => {
    const [, name = '', port, url = ''] = /^([^=]+?)(?::(\d+))?=(.*)$/.exec(text) ?? []
    if (name === '') throw new Fault('USAGE', `--url takes SERVICE[:PORT]=URL, not ${JSON.stringify(text)}`)
    const service = services.find((candidate) => candidate.name === name)
    if (service === undefined) {
      const meant = findClosest(name, services.map((candidate) => candidate.name))
      throw new Fault('USAGE', `--url ${name}: the app has no such service${meant === undefined ? `; there are ${services.map((one) => one.name).join(', ')}` : `; did you mean ${meant}?`}`)
    }
    const served = servedPorts(service)
    if (port !== undefined && !served.includes(Number(port))) throw new Fault('USAGE', `--url ${name}:${port}: the service serves ${served.length === 0 ? 'no port' : `only ${served.join(', ')}`}`)
    return {service: name, port: port === undefined ? null : Number(port), url: parseUrl(url, name)}
  })
}

function parseUrl(text: string, name: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '') {
    throw new Fault('USAGE', `--url ${name}: ${JSON.stringify(text)} is no address such as https://shop.example.com`)
  }
  return text
}
