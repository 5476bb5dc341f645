import {checkSetting, falseValueOf, trueValueOf} from '../catalog/check-setting.js'
import type {AppDefinition, ConfigField, SettingField} from '../catalog/definition.js'
import {installChanges, isShown, toFormValue, type SettingKey} from '../catalog/shown-settings.js'
import {Fault} from '../contract/faults.js'
import {asker, type Asking} from './ask-again.js'

export interface InstallInput {
  readonly config: Readonly<Record<string, string>>
  readonly changes: {readonly service: string; readonly key: string; readonly value: string}[]
}

type Asked = Pick<AppDefinition, 'id' | 'configFields' | 'settings'>

interface Given {
  /** From flags: KEY or SERVICE.KEY to value. */
  readonly values: Readonly<Record<string, string>>
  /** An install that was begun holds some of it already; the daemon says what it lacks. */
  readonly isBegun: boolean
}

/** What an install needs from people: from flags, on a terminal asked for, elsewhere all that is missing is told at once. */
export async function readInstallInput(app: Asked, {values, isBegun}: Given, asking: Asking): Promise<InstallInput> {
  const fields = (app.configFields ?? []).filter(({generate}) => generate === undefined)
  const settings = settingsOf(app)
  const config: Record<string, string> = {}
  const texts = new Map<string, string>()
  for (const [name, value] of Object.entries(values)) {
    const setting = fields.some(({key}) => key === name) ? undefined : findByName(app, name)
    if (setting === undefined) config[name] = value
    else texts.set(nameOf(setting), readSetting(setting, value, `--set ${name}`))
  }
  const needed = isBegun ? [] : fields.filter(({key, required, default: preset = ''}) => required === true && preset === '' && (config[key] ?? '') === '')
  const textOf = (key: SettingKey): string | undefined => texts.get(nameOf(key))
  const isAsked = (field: SettingField) => field.installStep === true && textOf(field) === undefined && isShown(field, (key) => formValueOf(settings, key, textOf))
  if (!asking.prompts.canAsk) requireFlags([...needed.map(({key}) => key), ...(isBegun ? [] : settings.filter((field) => isAsked(field) && isRequired(field)).map(nameOf))])
  for (const field of needed) config[field.key] = await askConfig(field, asking)
  // One after the other, as an answer decides what is asked next.
  if (asking.prompts.canAsk) for (const field of settings) if (isAsked(field)) await askSetting(field, asking).then((text) => text === undefined || texts.set(nameOf(field), text))
  return {config, changes: installChanges(app, textOf)}
}

const nameOf = ({service, key}: SettingKey) => `${service}.${key}`

function settingsOf({settings = []}: Asked): SettingField[] {
  return settings.flatMap(({fields}) => fields)
}

function formValueOf(settings: readonly SettingField[], key: SettingKey, textOf: (key: SettingKey) => string | undefined) {
  const field = settings.find((one) => nameOf(one) === nameOf(key))
  return field === undefined ? undefined : toFormValue(field, textOf(key))
}

function isRequired({required, default: preset = ''}: SettingField): boolean {
  return required === true && preset === ''
}

/** A setting by SERVICE.KEY, or by its key alone where only one has it. */
export function findByName(app: Asked, name: string): SettingField {
  const settings = settingsOf(app)
  const exact = settings.find((field) => nameOf(field) === name)
  const byKey = settings.filter(({key}) => key === name)
  if (exact !== undefined) return exact
  if (byKey[0] !== undefined && byKey.length === 1) return byKey[0]
  if (byKey.length > 1) throw new Fault('USAGE', `${name} is a setting of several services: write ${byKey.map(nameOf).join(' or ')}`, {details: {flag: '--set'}})
  const known = [...(app.configFields ?? []).filter(({generate}) => generate === undefined).map(({key}) => key), ...settings.map(nameOf)]
  throw new Fault('USAGE', `${app.id} has nothing to set that is called ${name}${known.length === 0 ? '' : `; it has ${known.join(', ')}`}`, {details: {flag: '--set'}})
}

function requireFlags(names: readonly string[]): void {
  if (names.length === 0) return
  const flags = names.map((name) => `--set ${name}=VALUE`)
  throw new Fault('USAGE', `nobody can be asked here: give ${flags.join(' ')}`, {details: {flags}})
}

function askConfig({key, label, type, secret}: ConfigField, asking: Asking): Promise<string> {
  const hidden = type === 'password' || secret === true
  return asker(asking)({text: label, flag: `--set ${key}=VALUE`, hidden, given: undefined, parse: (answer) => requireText(answer, label)})
}

async function askSetting(field: SettingField, asking: Asking): Promise<string | undefined> {
  const {label, secret, required, default: preset = '', options = []} = field
  // Nothing typed means none, which a hidden question can not take.
  if (secret === true && required !== true) return undefined
  const choices = field.type === 'boolean' ? [trueValueOf(field), falseValueOf(field)] : options.map(({value}) => value)
  const text = choices.length === 0 ? label : `${label}: ${choices.join(', ')}`
  return asker(asking)({
    text, flag: `--set ${nameOf(field)}=VALUE`, hidden: secret === true, given: undefined, preset: isRequired(field) ? undefined : preset,
    parse: (answer) => readSetting(field, required === true ? requireText(answer, label) : answer),
  })
}

function requireText(answer: string, label: string): string {
  if (answer === '') throw new Fault('USAGE', `${label} can not be empty`)
  return answer
}

function readSetting(field: SettingField, answer: string, said?: string): string {
  const value = field.options?.find(({label}) => label === answer)?.value ?? answer
  const problem = checkSetting(field, value)
  if (problem !== undefined) throw new Fault('USAGE', said === undefined ? problem : `${said}: ${problem}`)
  return value
}
