import type {SettingField} from '../definition.js'

/** Why a value would not be saved; undefined where it would. An empty value is always fine. */
export function findSettingFault(field: SettingField, value: string): string | undefined {
  if (value === '') return undefined
  switch (field.type) {
    case 'number':
      return numberFault(field, value)
    case 'select':
    case 'radio':
      return optionFault(field, [value])
    case 'multiselect':
      return optionFault(field, value.split(field.separator ?? ',').map((token) => token.trim()).filter((token) => token !== ''))
    case 'boolean': {
      const [yes, no] = [field.trueValue ?? 'true', field.falseValue ?? 'false']
      return value === yes || value === no ? undefined : `it is neither ${JSON.stringify(yes)} nor ${JSON.stringify(no)}`
    }
    default:
      return patternFault(field, value)
  }
}

function numberFault({integer, min, max}: SettingField, value: string): string | undefined {
  if (!/^-?\d+(?:\.\d+)?$/.test(value)) return 'it is not a number'
  const number = Number(value)
  if (integer === true && !Number.isInteger(number)) return 'it is not a whole number'
  if (min !== undefined && number < min) return `it is less than ${min}`
  return max !== undefined && number > max ? `it is more than ${max}` : undefined
}

function optionFault({options = []}: SettingField, values: readonly string[]): string | undefined {
  const unknown = values.filter((value) => !options.some((option) => option.value === value))
  return unknown.length === 0 || options.length === 0 ? undefined : `${unknown.join(', ')} is none of its options`
}

function patternFault({pattern}: SettingField, value: string): string | undefined {
  const expression = pattern === undefined ? undefined : readPattern(pattern)
  return expression === undefined || expression.test(value) ? undefined : 'it does not match the pattern'
}

/** A regular expression; undefined where it is none. */
export function readPattern(pattern: string): RegExp | undefined {
  try {
    return new RegExp(pattern)
  } catch {
    return undefined
  }
}
