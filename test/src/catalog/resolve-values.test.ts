import fc from 'fast-check'
import {describe, expect, test} from 'vitest'
import type {AppDefinition} from '../../../src/catalog/definition.js'
import {backfillValues, resolveValues, valuesByKey, type StoredValue, type ValueSources} from '../../../src/catalog/resolve-values.js'
import {appWith, countingBytes, nowMs, secretNumber} from './app-fixture.js'

const field = (key: string, service: string, more: object = {}) => ({key, service, label: key, ...more})
const generated = (key: string, service: string, generateGroup?: string) => field(key, service, {generate: 'secret', secret: true, generateGroup})
const token = (key: string, service: string, jwtRole?: string) => field(key, service, {generate: 'jwt', jwtSecretGroup: 'jwt', jwtRole})

function app(configFields: object[], environments: Record<string, Record<string, string>> = {}): AppDefinition {
  const service = (name: string) => ({name, image: `${name}:1.0`, environment: environments[name]})
  return appWith({services: ['db', 'web', 'worker'].map(service), configFields})
}

function install(definition: AppDefinition, more: Partial<ValueSources> = {}) {
  return resolveValues(definition, {config: {}, stored: [], madeServices: [], random: countingBytes(), nowMs, ...more})
}

function backfill(definition: AppDefinition, stored: StoredValue[]) {
  return backfillValues(definition, {stored, random: countingBytes(), nowMs})
}

const written = ({writes}: {writes: readonly {service: string; key: string; value: string}[]}) => Object.fromEntries(writes.map(({service, key, value}) => [`${service}.${key}`, value]))

describe('an install', () => {
  test('makes a secret for each field, and one for all fields of a group', () => {
    const definition = app([generated('A', 'db'), generated('PW', 'db', 'pw'), generated('DB_PW', 'web', 'pw'), generated('B', 'web')])
    expect(written(install(definition))).toEqual({'db.A': secretNumber(1), 'db.PW': secretNumber(2), 'web.DB_PW': secretNumber(2), 'web.B': secretNumber(3)})
  })

  test('signs a token with the secret of its group, wherever in the list that is', () => {
    const result = install(app([token('ANON', 'web', 'anon'), generated('JWT_SECRET', 'db', 'jwt')]))
    expect(written(result)).toMatchObject({'db.JWT_SECRET': secretNumber(1), 'web.ANON': expect.stringMatching(/^eyJ/)})
  })

  test('writes no token that has no role, or whose group makes no secret', () => {
    expect(written(install(app([token('ANON', 'web'), generated('JWT_SECRET', 'db', 'jwt')])))).toEqual({'db.JWT_SECRET': secretNumber(1)})
    expect(written(install(app([token('ANON', 'web', 'anon'), field('X', 'db', {generateGroup: 'jwt'})])))).toEqual({})
  })

  test('takes what a person gave, else the default, else nothing, which is written nowhere', () => {
    const definition = app([field('A', 'db', {default: 'a'}), field('B', 'db', {default: 'b'}), field('C', 'db')])
    const result = install(definition, {config: {A: 'mine', UNKNOWN: 'x'}})
    expect(written(result)).toEqual({'db.A': 'mine', 'db.B': 'b'})
    expect(valuesByKey(result.rows).get('C')).toMatchObject({value: ''})
  })

  test('takes no value for a generated field from a person', () => {
    expect(written(install(app([generated('A', 'db')]), {config: {A: 'mine'}}))).toEqual({'db.A': secretNumber(1)})
  })

  test('reads no inherited member as a value that was given', () => {
    expect(written(install(app([field('constructor', 'db'), field('toString', 'db')])))).toEqual({})
  })

  test('names required fields without a value, and not those that have one', () => {
    const definition = app([field('A', 'db', {required: true}), field('B', 'db', {required: true, default: 'b'}), field('C', 'web', {required: true})])
    expect(install(definition, {config: {C: 'c'}}).missing.map(({key}) => key)).toEqual(['A'])
  })

  test('says of each value whether it is a secret: by its field, or by the list of its service', () => {
    const definition = appWith({
      services: [{name: 'db', image: 'db:1', secretEnv: ['LISTED']}],
      configFields: [field('LISTED', 'db', {default: 'x'}), field('PLAIN', 'db', {default: 'x'}), generated('SECRET', 'db')],
    })
    expect(install(definition).writes.map(({key, isSecret}) => [key, isSecret])).toEqual([['LISTED', true], ['PLAIN', false], ['SECRET', true]])
  })

  test('gives fields of one key one value: {{config:KEY}} can stand for one only', () => {
    const result = install(app([generated('KEY', 'db'), generated('KEY', 'web')]))
    expect(written(result)).toEqual({'db.KEY': secretNumber(1), 'web.KEY': secretNumber(1)})
  })

  test('that takes up an earlier one keeps what is stored and uses it', () => {
    const definition = app([generated('PW', 'db', 'pw'), generated('DB_PW', 'web', 'pw'), field('NAME', 'db', {default: 'n'})])
    const result = install(definition, {config: {NAME: 'other'}, stored: [{service: 'db', key: 'PW', value: 'kept'}, {service: 'db', key: 'NAME', value: 'first'}]})
    expect(written(result)).toEqual({'web.DB_PW': 'kept'})
    expect(valuesByKey(result.rows).get('NAME')?.value).toBe('first')
    expect(result.kept).toEqual([{service: 'db', key: 'PW', reason: 'stored'}, {service: 'db', key: 'NAME', reason: 'stored'}])
  })

  test('that takes up an earlier one makes no value again whose copies are in a service made before', () => {
    const definition = app([generated('PW', 'db'), generated('KEY', 'worker')], {web: {URL: 'db://u:{{config:PW}}@db'}, worker: {K: '{{config:KEY}}'}})
    const result = install(definition, {madeServices: ['web']})
    expect(written(result)).toEqual({'worker.KEY': secretNumber(1)})
    expect(result.kept).toEqual([{service: 'db', key: 'PW', reason: 'inlined'}])
  })
})

describe('a later look at what is missing', () => {
  test('makes what was never stored, and touches nothing else', () => {
    const definition = app([generated('A', 'db'), generated('B', 'web'), field('C', 'web', {default: 'c'})])
    const result = backfill(definition, [{service: 'db', key: 'A', value: 'a'}])
    expect(written(result)).toEqual({'web.B': secretNumber(1)})
    expect(result.kept).toEqual([{service: 'db', key: 'A', reason: 'stored'}])
  })

  test('has nothing to do the second time', () => {
    const definition = app([generated('A', 'db'), token('T', 'web', 'anon'), generated('J', 'db', 'jwt')])
    const first = backfill(definition, [])
    expect(backfill(definition, [...first.writes]).writes).toEqual([])
  })

  test('takes a value that can not be read for one that is there', () => {
    const result = backfill(app([generated('A', 'db')]), [{service: 'db', key: 'A', value: null}])
    expect(result).toMatchObject({writes: [], rows: [], kept: [{key: 'A', reason: 'unreadable'}]})
  })

  test('leaves a group alone with its tokens while what is stored of it can not be read', () => {
    const definition = app([generated('J', 'db', 'jwt'), generated('J2', 'web', 'jwt'), token('ANON', 'web', 'anon')])
    const result = backfill(definition, [{service: 'db', key: 'J', value: null}])
    expect(result.writes).toEqual([])
    expect(result.kept.map(({key, reason}) => `${key} ${reason}`)).toEqual(['J unreadable', 'J2 unreadable', 'ANON unreadable'])
  })

  test('gives the rest of a group what is stored of it, also for another service and where one of them can not be read', () => {
    const definition = app([generated('A', 'db', 'g'), generated('B', 'web', 'g'), generated('C', 'worker', 'g')])
    expect(written(backfill(definition, [{service: 'web', key: 'B', value: 'half'}]))).toEqual({'db.A': 'half', 'worker.C': 'half'})
    expect(written(backfill(definition, [{service: 'db', key: 'A', value: null}, {service: 'web', key: 'B', value: 'half'}]))).toEqual({'worker.C': 'half'})
  })

  test('takes a value of the whole project for one of each service', () => {
    const definition = app([generated('A', 'db', 'g'), generated('B', 'web', 'g')])
    expect(written(backfill(definition, [{service: null, key: 'A', value: 'of all'}]))).toEqual({'web.B': 'of all'})
    expect(backfill(app([generated('A', 'db')]), [{service: 'web', key: 'A', value: 'of another'}]).writes).toHaveLength(1)
  })

  test.each([
    ['an environment', {services: [{name: 'db', image: 'db:1', environment: {URL: 'x{{config:A}}'}}]}],
    ['a file', {services: [{name: 'db', image: 'db:1'}], files: [{service: 'db', path: '/f', content: '{{ config:A }}'}]}],
    ['a file of a service', {services: [{name: 'db', image: 'db:1', files: [{path: '/f', content: '{{config:A}}'}]}]}],
    ['a Dockerfile', {services: [{name: 'db', build: {dockerfile: 'FROM x:1\nENV A={{config:A}}'}}]}],
    ['a build file', {services: [{name: 'db', build: {dockerfile: 'FROM x:1', files: [{path: 'f', content: '{{config:A}}'}]}}]}],
  ])('makes no value again that was written into %s', (_, parts) => {
    const result = backfill(appWith({...parts, configFields: [generated('A', 'db')]}), [])
    expect(result).toMatchObject({writes: [], kept: [{key: 'A', reason: 'inlined'}]})
  })

  test('makes no secret for a group of which one was written into a text, and no token of it', () => {
    const definition = app([generated('J', 'db', 'jwt'), generated('J2', 'web', 'jwt'), token('ANON', 'web', 'anon')], {worker: {X: '{{config:J2}}'}})
    expect(backfill(definition, [])).toMatchObject({writes: [], kept: [{reason: 'inlined'}, {reason: 'inlined'}, {reason: 'inlined'}]})
  })

  test('a stored half of such a group is what its copies say, so it completes the group', () => {
    const definition = app([generated('A', 'db', 'g'), generated('B', 'web', 'g')], {worker: {X: '{{config:B}}'}})
    expect(written(backfill(definition, [{service: 'db', key: 'A', value: 'half'}]))).toEqual({'web.B': 'half'})
  })
})

describe('whatever is stored', () => {
  const keys = ['A', 'B', 'C', 'J', 'T', 'P'] as const
  const definition = app(
    [generated('A', 'db', 'g'), generated('B', 'web', 'g'), generated('C', 'worker'), generated('J', 'db', 'jwt'), token('T', 'web', 'anon'), field('P', 'db', {default: 'p', required: true})],
    {web: {URL: '{{config:C}}'}},
  )
  const stored = fc.uniqueArray(
    fc.record({service: fc.constantFrom('db', 'web', 'worker', null), key: fc.constantFrom(...keys), value: fc.option(fc.string(), {nil: null})}),
    {selector: ({service, key}) => `${service}.${key}`},
  )

  test('no stored value is written again, and what is written agrees with it', () => {
    fc.assert(
      fc.property(stored, fc.subarray(['db', 'web', 'worker']), fc.boolean(), (rows, madeServices, isInstall) => {
        const sources = {config: {P: 'given'}, stored: rows, madeServices, random: countingBytes(), nowMs}
        const result = isInstall ? resolveValues(definition, sources) : backfillValues(definition, sources)
        for (const write of result.writes) {
          expect(rows.some(({service, key}) => key === write.key && (service === null || service === write.service))).toBe(false)
          expect(write.value).not.toBe('')
        }
        for (const row of result.rows) {
          const before = rows.find(({service, key}) => key === row.key && service === row.service) ?? rows.find(({service, key}) => key === row.key && service === null)
          if (before !== undefined) expect(row.value).toBe(before.value)
        }
        // Once written, nothing is left to do.
        expect(backfillValues(definition, {...sources, stored: [...rows, ...result.writes]}).writes.filter(({key}) => result.writes.some((write) => write.key === key))).toEqual([])
      }),
    )
  })
})
