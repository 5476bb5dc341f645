import {checkSetting} from './check-setting.js'
import type {AppDefinition, SettingField} from './definition.js'
import type {EnvironmentRow} from './inline-config.js'
import {findSetting, type SettingKey} from './shown-settings.js'

export interface SettingChange extends SettingKey {
  /** Numbers and booleans are taken as their text, null as none. */
  readonly value: unknown
}

export interface SettingProblem extends SettingKey {
  /** Which of the changes. */
  readonly index: number
  readonly message: string
}

/** What to write, or why nothing is: changes are made together or not at all. */
export type SettingPlan =
  | {readonly isRefused: true; readonly problems: readonly SettingProblem[]}
  | {
      readonly isRefused: false
      /** To be merged into the rows of each service. */
      readonly rows: readonly EnvironmentRow[]
      /** Rows to take away, so that the value of the definition shows again. */
      readonly removed: readonly SettingKey[]
      readonly count: number
      readonly requiresRedeploy: boolean
    }

export interface SettingTarget {
  readonly changes: readonly SettingChange[]
  /** The services that the project has; those of the definition unless given. */
  readonly services?: readonly string[]
}

/** Checks changes of settings as a whole and says what they write. */
export function applySettings(definition: Pick<AppDefinition, 'settings' | 'services'>, {changes, services}: SettingTarget): SettingPlan {
  const present = services ?? definition.services?.map(({name}) => name) ?? []
  const read = changes.map((change) => readChange(change, definition.settings ?? []))
  const problems = read.flatMap(({field, text, change: {service, key}}, index) => {
    const message = refuse(field, text, {service, key, isPresent: present.includes(service)})
    return message === undefined ? [] : [{service, key, index, message}]
  })
  if (problems.length > 0) return {isRefused: true, problems}
  // An empty secret says: as it was. Nobody can see the value to send it back.
  const applied = read.flatMap(({field, text = ''}) => (field === undefined || (field.secret === true && text === '') ? [] : [{field, text}]))
  return {
    isRefused: false,
    rows: applied.filter(({text}) => text !== '').map(({field: {service, key, secret = false}, text}) => ({service, key, value: text, isSecret: secret})),
    removed: applied.filter(({text}) => text === '').map(({field: {service, key}}) => ({service, key})),
    count: applied.length,
    requiresRedeploy: applied.some(({field}) => field.requiresRedeploy === true),
  }
}

function readChange(change: SettingChange, settings: NonNullable<AppDefinition['settings']>): {change: SettingChange; field: SettingField | undefined; text: string | undefined} {
  return {change, field: findSetting(settings, change), text: toText(change.value)}
}

function toText(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  if (value === null) return ''
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined
}

function refuse(field: SettingField | undefined, text: string | undefined, {service, key, isPresent}: SettingKey & {isPresent: boolean}): string | undefined {
  if (field === undefined) return `${service}.${key} is no setting of this app`
  if (!isPresent) return `the project has no service ${service}`
  if (text === undefined) return `${field.label} must be a text`
  if (text === '' && field.required === true && field.secret !== true) return `${field.label} is required`
  return checkSetting(field, text)
}

/** The settings as a form reads them: what overrides the definition, and never a secret. */
export function settingValues(
  {settings = []}: Pick<AppDefinition, 'settings'>,
  rows: readonly {readonly service: string; readonly key: string; readonly value: string | null}[],
): {readonly service: string; readonly key: string; readonly value: string; readonly secret: boolean; readonly set: boolean}[] {
  return settings.flatMap(({fields}) =>
    fields.map(({service, key, secret = false}) => {
      const row = rows.find((candidate) => candidate.service === service && candidate.key === key)
      return {service, key, value: secret ? '' : (row?.value ?? ''), secret, set: row !== undefined}
    }),
  )
}
