import fc from 'fast-check'
import {describe, expect, test} from 'vitest'
import {applySettings, settingValues, type SettingChange} from '../../../src/catalog/apply-settings.js'
import {matchesPattern} from '../../../src/catalog/bounded-match.js'
import {checkSetting} from '../../../src/catalog/check-setting.js'
import type {AppDefinition, SettingField} from '../../../src/catalog/definition.js'
import {installChanges, isShown, toFormValue, type FormValue} from '../../../src/catalog/shown-settings.js'
import {appWith} from './app-fixture.js'

const setting = (type: SettingField['type'], more: Partial<SettingField> = {}): SettingField => ({key: 'K', service: 'web', label: 'Field', type, ...more})
const options = [{value: 'a', label: 'A'}, {value: 'b', label: 'B'}]

describe('the value of a setting', () => {
  test.each<[SettingField, string, string | undefined]>([
    [setting('number'), '12', undefined],
    [setting('number'), '-1.5', undefined],
    [setting('number'), '1e3', 'must be a number'],
    [setting('number'), ' 1', 'must be a number'],
    [setting('number'), '.5', 'must be a number'],
    [setting('number', {integer: true}), '1.5', 'must be a whole number'],
    [setting('number', {integer: true}), '1.0', undefined],
    [setting('number', {min: 1, max: 5}), '1', undefined],
    [setting('number', {min: 1, max: 5}), '5', undefined],
    [setting('number', {min: 1}), '0', 'must be at least 1'],
    [setting('number', {max: 5}), '6', 'must be at most 5'],
    [setting('select', {options}), 'a', undefined],
    [setting('select', {options}), 'c', 'must be one of: a, b'],
    [setting('radio', {options}), 'A', 'must be one of: a, b'],
    [setting('multiselect', {options}), 'a, b,,', undefined],
    [setting('multiselect', {options}), 'a,c', 'unknown option c'],
    [setting('multiselect', {options, separator: ' '}), 'a b', undefined],
    [setting('boolean'), 'true', undefined],
    [setting('boolean'), '1', 'must be a boolean'],
    [setting('boolean', {trueValue: '1', falseValue: '0'}), '0', undefined],
    [setting('boolean', {trueValue: '1', falseValue: '0'}), 'true', 'must be a boolean'],
    [setting('text', {pattern: 'b'}), 'abc', undefined],
    [setting('text', {pattern: '^b'}), 'abc', 'invalid format'],
    [setting('password', {pattern: '^b', patternError: 'starts with b'}), 'abc', 'starts with b'],
    [setting('textarea', {pattern: '('}), 'anything', undefined],
  ])('%o: %j', (field, value, message) => {
    const found = checkSetting(field, value)
    if (message === undefined) expect(found).toBeUndefined()
    else expect(found).toContain(message)
  })

  test('is always right when it is empty', () => {
    for (const type of ['number', 'select', 'boolean', 'text'] as const) expect(checkSetting(setting(type, {pattern: 'x', min: 5}), '')).toBeUndefined()
  })

  test('is refused where a pattern takes too long over it, and nothing hangs', () => {
    const start = performance.now()
    expect(checkSetting(setting('text', {pattern: '^(a+)+$'}), `${'a'.repeat(50)}b`)).toContain('invalid format')
    expect(performance.now() - start).toBeLessThan(2000)
    expect(matchesPattern('^(a+)+$', 'aaa')).toBe(true)
  })
})

describe('a setting is shown', () => {
  const shown = (showIf: SettingField['showIf'], value: FormValue | undefined, service = 'web') =>
    isShown(setting('text', {showIf}), (key) => (key.key === 'MODE' && key.service === service ? value : undefined))

  test.each<[SettingField['showIf'], FormValue | undefined, boolean]>([
    [undefined, undefined, true],
    [{field: 'MODE'}, undefined, true],
    [{field: 'MODE', equals: 'smtp'}, 'smtp', true],
    [{field: 'MODE', equals: 'smtp'}, 'api', false],
    [{field: 'MODE', equals: ['smtp', 'api']}, 'api', true],
    [{field: 'MODE', equals: 'true'}, true, true],
    [{field: 'MODE', equals: ''}, undefined, true],
    [{field: 'MODE', truthy: true}, true, true],
    [{field: 'MODE', truthy: true}, 'x', true],
    [{field: 'MODE', truthy: true}, 'false', false],
    [{field: 'MODE', truthy: true}, '', false],
    [{field: 'MODE', truthy: true}, undefined, false],
    [{field: 'MODE', truthy: false}, undefined, true],
    [{field: 'MODE', truthy: false}, true, false],
    [{field: 'MODE', truthy: true, equals: 'other'}, 'x', true],
  ])('%o with %j: %s', (showIf, value, expected) => {
    expect(shown(showIf, value)).toBe(expected)
  })

  test('by a field of its own service, unless it names another', () => {
    expect(shown({field: 'MODE', equals: 'a'}, 'a', 'api')).toBe(false)
    expect(shown({field: 'MODE', equals: 'a', service: 'api'}, 'a', 'api')).toBe(true)
  })
})

const app: AppDefinition = appWith({
  services: [{name: 'web', image: 'web:1'}, {name: 'api', image: 'api:1'}],
  settings: [
    {id: 'a', label: 'A', fields: [
      setting('text', {key: 'TITLE', label: 'Title', default: 'Shop', required: true}),
      setting('boolean', {key: 'MAIL', label: 'Mail', default: 'false'}),
      setting('text', {key: 'SMTP', label: 'Server', showIf: {field: 'MAIL', truthy: true}, requiresRedeploy: true}),
      setting('number', {key: 'PORT', label: 'Port', service: 'api', integer: true, min: 1}),
    ]},
    {id: 'b', label: 'B', fields: [setting('password', {key: 'PW', label: 'Password', secret: true, required: true})]},
  ],
})

const change = (key: string, value: unknown, service = 'web'): SettingChange => ({service, key, value})

describe('changes of settings', () => {
  test('become rows, and say whether a restart is enough', () => {
    expect(applySettings(app, {changes: [change('TITLE', 'Mine'), change('PW', 'hush')]})).toEqual({
      isRefused: false, count: 2, requiresRedeploy: false, removed: [],
      rows: [{service: 'web', key: 'TITLE', value: 'Mine', isSecret: false}, {service: 'web', key: 'PW', value: 'hush', isSecret: true}],
    })
    expect(applySettings(app, {changes: [change('SMTP', 'mx')]})).toMatchObject({requiresRedeploy: true})
  })

  test('an empty value takes the override away; an empty secret changes nothing', () => {
    expect(applySettings(app, {changes: [change('SMTP', ''), change('PW', '')]})).toMatchObject({rows: [], removed: [{service: 'web', key: 'SMTP'}], count: 1})
  })

  test('numbers and booleans count as their text, null as none, and anything else is refused', () => {
    expect(applySettings(app, {changes: [change('PORT', 25, 'api'), change('MAIL', true)]})).toMatchObject({rows: [{value: '25'}, {value: 'true'}]})
    expect(applySettings(app, {changes: [change('SMTP', null)]})).toMatchObject({count: 1})
    for (const value of [{}, [], undefined]) expect(applySettings(app, {changes: [change('SMTP', value)]})).toMatchObject({isRefused: true})
  })

  test('are refused together, each with its place', () => {
    const changes = [change('TITLE', 'fine'), change('TITLE', ''), change('NONE', 'x'), change('TITLE', 'x', 'api'), change('PORT', '0', 'api')]
    expect(applySettings(app, {changes})).toEqual({
      isRefused: true,
      problems: [
        {service: 'web', key: 'TITLE', index: 1, message: 'Title is required'},
        {service: 'web', key: 'NONE', index: 2, message: 'web.NONE is no setting of this app'},
        {service: 'api', key: 'TITLE', index: 3, message: 'api.TITLE is no setting of this app'},
        {service: 'api', key: 'PORT', index: 4, message: 'Port must be at least 1'},
      ],
    })
  })

  test('are refused for a service that the project does not have', () => {
    expect(applySettings(app, {changes: [change('TITLE', 'x')], services: ['api']})).toMatchObject({problems: [{message: 'the project has no service web'}]})
  })

  test('of any kind never throw', () => {
    fc.assert(
      fc.property(fc.array(fc.record({service: fc.constantFrom('web', 'api', '__proto__'), key: fc.constantFrom('TITLE', 'PORT', 'PW', 'constructor'), value: fc.anything()})), (changes) => {
        const plan = applySettings(app, {changes})
        if (!plan.isRefused) expect(plan.rows.every(({value}) => typeof value === 'string' && value !== '')).toBe(true)
      }),
    )
  })
})

test('what a form reads shows overrides, says which are set, and no secret', () => {
  const rows = [{service: 'web', key: 'TITLE', value: 'Mine'}, {service: 'web', key: 'PW', value: 'hush'}, {service: 'api', key: 'PORT', value: null}]
  expect(settingValues(app, rows).map(({key, value, secret, set}) => [key, value, secret, set])).toEqual([
    ['TITLE', 'Mine', false, true], ['MAIL', '', false, false], ['SMTP', '', false, false], ['PORT', '', false, true], ['PW', '', true, true],
  ])
})

describe('what an install sends of its form', () => {
  const send = (values: Record<string, string>) => installChanges(app, ({key}) => values[key]).map(({key, value}) => `${key}=${value}`)

  test('is what differs from its default', () => {
    expect(send({TITLE: 'Shop', MAIL: 'false', PORT: ''})).toEqual([])
    expect(send({TITLE: 'Mine', PORT: '25'})).toEqual(['TITLE=Mine', 'PORT=25'])
  })

  test('is what is shown', () => {
    expect(send({SMTP: 'mx'})).toEqual([])
    expect(send({SMTP: 'mx', MAIL: 'true'})).toEqual(['MAIL=true', 'SMTP=mx'])
  })

  test('is no empty secret', () => {
    expect(send({PW: ''})).toEqual([])
    expect(send({PW: 'hush'})).toEqual(['PW=hush'])
  })
})

test('a switch is on when what is stored, or the default, is the text for true', () => {
  const field = setting('boolean', {trueValue: 'on', falseValue: 'off', default: 'on'})
  expect([undefined, 'on', 'off', 'true'].map((stored) => toFormValue(field, stored))).toEqual([true, true, false, false])
  expect(toFormValue(setting('text', {default: 'd'}), undefined)).toBe('d')
})
