import {trueValueOf} from './check-setting.js'
import type {AppDefinition, SettingField} from './definition.js'

/** What stands in a form for a setting. */
export type FormValue = string | boolean

export interface SettingKey {
  readonly service: string
  readonly key: string
}

/** Whether a setting is asked, by what its form holds now. */
export function isShown({showIf, service}: SettingField, valueOf: (key: SettingKey) => FormValue | undefined): boolean {
  if (showIf === undefined) return true
  const value = valueOf({service: showIf.service ?? service, key: showIf.field})
  const isTrue = value === true || (typeof value === 'string' && value !== '' && value !== 'false')
  if (showIf.truthy !== undefined) return showIf.truthy === isTrue
  if (showIf.equals === undefined) return true
  return [showIf.equals].flat().includes(String(value ?? ''))
}

/** What a form shows for a stored value, or for its default. */
export function toFormValue(field: SettingField, stored: string | undefined): FormValue {
  const text = stored ?? field.default ?? ''
  return field.type === 'boolean' ? text === trueValueOf(field) : text
}

/** What an install sends of a form: what is shown, differs from its default and is no empty secret. */
export function installChanges(
  {settings = []}: Pick<AppDefinition, 'settings'>,
  textOf: (key: SettingKey) => string | undefined,
): {readonly service: string; readonly key: string; readonly value: string}[] {
  const fields = settings.flatMap((group) => group.fields)
  const valueOf = (key: SettingKey): FormValue | undefined => {
    const field = findSetting(settings, key)
    return field === undefined ? undefined : toFormValue(field, textOf(key))
  }
  return fields.flatMap((field) => {
    const value = textOf(field)
    if (value === undefined || value === (field.default ?? '') || !isShown(field, valueOf)) return []
    return field.secret === true && value === '' ? [] : [{service: field.service, key: field.key, value}]
  })
}

export function findSetting(settings: NonNullable<AppDefinition['settings']>, {service, key}: SettingKey): SettingField | undefined {
  return settings.flatMap(({fields}) => fields).find((field) => field.service === service && field.key === key)
}
