import {isPattern, matchesPattern} from './bounded-match.js'
import type {SettingField} from './definition.js'

/** What is wrong with the value of a setting; undefined where nothing is. An empty value is always right: it means none. */
export function checkSetting(field: SettingField, value: string): string | undefined {
  if (value === '') return undefined
  switch (field.type) {
    case 'number':
      return checkNumber(field, value)
    case 'select':
    case 'radio':
      return optionValues(field).includes(value) ? undefined : `${field.label} must be one of: ${optionValues(field).join(', ')}`
    case 'multiselect':
      return checkOptions(field, value)
    case 'boolean':
      return value === trueValueOf(field) || value === falseValueOf(field) ? undefined : `${field.label} must be a boolean: ${trueValueOf(field)} or ${falseValueOf(field)}`
    case 'text':
    case 'password':
    case 'textarea':
      return checkPattern(field, value)
  }
}

export function trueValueOf({trueValue = 'true'}: Pick<SettingField, 'trueValue'>): string {
  return trueValue
}

export function falseValueOf({falseValue = 'false'}: Pick<SettingField, 'falseValue'>): string {
  return falseValue
}

function checkNumber({label, integer, min, max}: SettingField, value: string): string | undefined {
  const number = Number(value)
  if (!/^-?\d+(\.\d+)?$/.test(value)) return `${label} must be a number`
  if (integer === true && !Number.isInteger(number)) return `${label} must be a whole number`
  if (min !== undefined && number < min) return `${label} must be at least ${min}`
  if (max !== undefined && number > max) return `${label} must be at most ${max}`
  return undefined
}

function checkOptions(field: SettingField, value: string): string | undefined {
  const chosen = value.split(field.separator ?? ',').map((token) => token.trim())
  const unknown = chosen.filter((token) => token !== '' && !optionValues(field).includes(token))
  return unknown.length === 0 ? undefined : `${field.label}: unknown ${unknown.length === 1 ? 'option' : 'options'} ${unknown.join(', ')}`
}

function checkPattern({label, pattern, patternError}: SettingField, value: string): string | undefined {
  if (pattern === undefined || !isPattern(pattern) || matchesPattern(pattern, value) === true) return undefined
  return patternError ?? `${label} has an invalid format`
}

function optionValues({options = []}: SettingField): string[] {
  return options.map(({value}) => value)
}
