import {isPattern, matchesPattern} from '../bounded-match.js'
import {checkSetting} from '../check-setting.js'
import type {SettingField} from '../definition.js'
import type {LintContext} from './lint-context.js'
import {findRepeats} from './repeats.js'
import type {Problem, Rule} from './rule.js'

const web = {name: 'web', image: 'ghcr.io/example/paste:1.4.2'}
const text = {key: 'PASTE_NAME', service: 'web', label: 'Name', type: 'text'}
const theme = {key: 'PASTE_THEME', service: 'web', label: 'Theme', type: 'select', options: [{value: 'light', label: 'Light'}, {value: 'dark', label: 'Dark'}]}
const app = (...fields: object[]) => ({app: {settings: [{id: 'general', label: 'General', fields}]}})
const choices: readonly string[] = ['select', 'radio', 'multiselect']

/** What people may set. */
export const settingRules: readonly Rule[] = [
  {
    id: 'setting-default-drift', severity: 'info', meaning: 'a default that the environment does not have',
    why: 'The default is only shown; the server does not write it. The form then says something else than what the container gets.',
    bad: app({...text, default: 'paste'}), good: {app: {services: [{...web, environment: {PASTE_NAME: 'paste'}}], ...app({...text, default: 'paste'}).app}},
    check: findDrift,
  },
  {
    id: 'select-without-options', severity: 'warning', meaning: 'a choice without options',
    why: 'There is nothing to choose from, and no value would be accepted.',
    bad: app({...theme, options: undefined}), good: app(theme),
    check: ({settingFields, isComplete}) =>
      settingFields.filter(({item}) => isEmptyChoice(item) && isComplete('settings.*.fields.*.options')).map(({item, path}) => ({path: [...path, 'type'], message: `a ${item.type} needs options`})),
  },
  {
    id: 'option-duplicate', severity: 'warning', meaning: 'two options of one value',
    why: 'The second can never be chosen.',
    bad: app({...theme, options: [{value: 'light', label: 'Light'}, {value: 'light', label: 'Dark'}]}), good: app(theme),
    check: ({settingFields}) =>
      settingFields.flatMap(({item: {options = []}, path}) =>
        findRepeats(options, ({value}) => value).map(({item, index}) => ({path: [...path, 'options', index, 'value'], message: `the value ${JSON.stringify(item.value)} is there already`})),
      ),
  },
  {
    id: 'number-bounds', severity: 'warning', meaning: 'bounds of a number that leave nothing, or are on another type',
    why: 'min, max, step and integer count for type number only, and min is at most max.',
    bad: app({...text, type: 'number', min: 10, max: 1}), good: app({...text, type: 'number', min: 1, max: 10}),
    check: ({settingFields}) => settingFields.flatMap(({item, path}) => checkBounds(item).map(({key, message}) => ({path: [...path, key], part: 'key' as const, message}))),
  },
  {
    id: 'setting-key-ignored', severity: 'warning', meaning: 'a key that has no effect on a setting of this type',
    why: 'options count for choices, separator for multiselect, pattern for texts, trueValue and falseValue for booleans.',
    bad: app({...text, separator: ';'}), good: app(text),
    check: ({settingFields}) => settingFields.flatMap(({item, path}) => ignoredKeys(item).map((key) => ({path: [...path, key], part: 'key' as const, message: `${key} has no effect on a ${item.type} setting`}))),
  },
  {
    id: 'setting-default-invalid', severity: 'warning', meaning: 'a default that its own field would refuse',
    why: 'The form shows a value that can not be saved.',
    bad: {app: {services: [{...web, environment: {PASTE_THEME: 'blue'}}], ...app({...theme, default: 'blue'}).app}},
    good: {app: {services: [{...web, environment: {PASTE_THEME: 'dark'}}], ...app({...theme, default: 'dark'}).app}},
    check: findInvalidDefaults,
  },
  {
    id: 'setting-password-plain', severity: 'warning', meaning: 'a password setting that is not secret',
    why: 'type password only hides what is typed. Without secret: true the value is kept with the plain ones and sent back.',
    bad: app({...text, key: 'PASTE_PASSWORD', type: 'password'}), good: app({...text, key: 'PASTE_PASSWORD', type: 'password', secret: true}),
    check: ({settingFields, isComplete}) =>
      settingFields.filter(({item}) => item.type === 'password' && item.secret !== true && isComplete('settings.*.fields.*.secret')).map(({item, path}) => ({path, message: `${item.key} is a password without secret: true`})),
  },
  {
    id: 'setting-duplicate', severity: 'warning', meaning: 'two settings of one key and service',
    why: 'They overwrite each other.',
    bad: app(text, {...text, label: 'Title'}), good: app(text, {...text, key: 'PASTE_TITLE', label: 'Title'}),
    check: ({settingFields}) =>
      findRepeats(settingFields, ({item}) => `${item.service}\0${item.key}`).map(({item: {item, path}}) => ({path: [...path, 'key'], message: `${item.key} of ${item.service} has a setting already`})),
  },
  {
    id: 'showif-unknown', severity: 'warning', meaning: 'a showIf that asks for a setting that is not there',
    why: 'The condition never holds, so the field is never shown.',
    bad: app(text, {...theme, showIf: {field: 'PASTE_NAMES', truthy: true}}), good: app(text, {...theme, showIf: {field: 'PASTE_NAME', truthy: true}}),
    check: findUnknownConditions,
  },
  {
    id: 'showif-empty', severity: 'warning', meaning: 'a showIf without a condition',
    why: 'Without equals or truthy the field is always shown.',
    bad: app(text, {...theme, showIf: {field: 'PASTE_NAME'}}), good: app(text, {...theme, showIf: {field: 'PASTE_NAME', equals: 'paste'}}),
    check: ({settingFields, isComplete}) =>
      settingFields
        .filter(({item: {showIf}}) => showIf !== undefined && showIf.equals === undefined && showIf.truthy === undefined && isComplete('settings.*.fields.*.showIf'))
        .map(({path}) => ({path: [...path, 'showIf'], message: 'the condition is missing; add equals or truthy'})),
  },
]

function findUnknownConditions({settingFields, isComplete}: LintContext): Problem[] {
  if (!isComplete('settings')) return []
  const known = new Set(settingFields.map(({item}) => `${item.service}\0${item.key}`))
  return settingFields.flatMap(({item: {showIf, service: own}, path}) => {
    const service = showIf?.service ?? own
    if (showIf === undefined || known.has(`${service}\0${showIf.field}`)) return []
    return [{path: [...path, 'showIf', 'field'], message: `there is no setting ${showIf.field} of ${service}, so this field is never shown`}]
  })
}

function isEmptyChoice({type, options = []}: SettingField): boolean {
  return choices.includes(type) && options.length === 0
}

// More patience than a save has, as a busy machine must not make a default look wrong; but not for a file full of patterns that never end.
const patienceMs = 1000
const mostEndless = 2

function findInvalidDefaults({settingFields}: LintContext): Problem[] {
  let endless = 0
  const isAccepted = ({type, pattern}: SettingField, value: string): boolean => {
    if ((type !== 'text' && type !== 'password' && type !== 'textarea') || pattern === undefined || !isPattern(pattern)) return false
    if (endless >= mostEndless) return true
    const isFound = matchesPattern(pattern, value, patienceMs)
    if (isFound === undefined) endless += 1
    return isFound === true
  }
  return settingFields.flatMap(({item, path}) => {
    if (item.default === undefined || item.default === '' || isEmptyChoice(item) || isAccepted(item, item.default)) return []
    const fault = checkSetting(item, item.default)
    return fault === undefined ? [] : [{path: [...path, 'default'], message: `the default ${JSON.stringify(item.default)} would be refused: ${fault}`}]
  })
}

function findDrift({settingFields, findService, isComplete}: LintContext): Problem[] {
  if (!isComplete('services.*.name', 'services.*.environment')) return []
  return settingFields.flatMap(({item, path}) => {
    const service = findService(item.service)
    if (item.default === undefined || item.secret === true || service === undefined) return []
    const value = Object.hasOwn(service.environment ?? {}, item.key) ? service.environment?.[item.key] : undefined
    if (value === item.default || (value === undefined && item.default === '') || value?.includes('{{') === true) return []
    return [{path: [...path, 'default'], message: value === undefined ? `the environment of ${item.service} has no ${item.key}, so the default is shown but not used` : `the environment of ${item.service} says ${JSON.stringify(value)}`}]
  })
}

function checkBounds(field: SettingField): {key: string; message: string}[] {
  const {type, min, max, step} = field
  if (type !== 'number') {
    return (['min', 'max', 'step', 'integer'] as const).filter((key) => field[key] !== undefined).map((key) => ({key, message: `${key} has no effect on a ${type} setting`}))
  }
  return [
    ...(min !== undefined && max !== undefined && min > max ? [{key: 'min', message: `min ${min} is more than max ${max}, so no number fits`}] : []),
    ...(step !== undefined && step <= 0 ? [{key: 'step', message: 'the step has to be more than 0'}] : []),
  ]
}

const keysOfTypes = {
  options: choices, separator: ['multiselect'], pattern: ['text', 'password', 'textarea'], patternError: ['text', 'password', 'textarea'],
  trueValue: ['boolean'], falseValue: ['boolean'],
} as const satisfies Partial<Record<keyof SettingField, readonly string[]>>

function ignoredKeys(field: SettingField): string[] {
  return Object.entries(keysOfTypes).flatMap(([key, types]: [string, readonly string[]]) => (Reflect.get(field, key) !== undefined && !types.includes(field.type) ? [key] : []))
}
