import {describe, expect, test} from 'vitest'
import {inlineConfig} from '../../../src/catalog/inline-config.js'
import type {ValueRow} from '../../../src/catalog/resolve-values.js'
import {appWith} from './app-fixture.js'

const row = (key: string, value: string, more: Partial<ValueRow> = {}): ValueRow => ({service: 'web', key, value, isSecret: false, isGenerated: false, ...more})

const web = (parts: object) => appWith({services: [{name: 'web', image: 'web:1', ...parts}]})

describe('the values of config fields', () => {
  test('are put into environments, files and builds', () => {
    const definition = appWith({
      services: [
        {name: 'web', image: 'web:1', environment: {URL: 'http://{{config:USER}}:{{ config:PW }}@db'}, files: [{path: '/own', content: '{{config:USER}}'}]},
        {name: 'api', build: {dockerfile: 'FROM x:1\nENV U={{config:USER}}', files: [{path: 'f', content: '{{config:PW}}'}]}},
      ],
      files: [{service: 'api', path: '/etc/api', content: 'a={{config:PW}}'}],
    })
    const {services, files} = inlineConfig(definition, {rows: [row('USER', 'kim'), row('PW', 'hush', {isSecret: true})]})
    expect(services[0]?.environment).toEqual({URL: {text: 'http://kim:hush@db', isSecret: true}})
    expect(services[1]?.build).toEqual({dockerfile: {text: 'FROM x:1\nENV U=kim', isSecret: false}, files: [{path: 'f', content: {text: 'hush', isSecret: true}}]})
    expect(files).toEqual([
      {service: 'api', path: '/etc/api', content: {text: 'a=hush', isSecret: true}},
      {service: 'web', path: '/own', content: {text: 'kim', isSecret: false}},
    ])
  })

  test('are put in as they are, and not read again', () => {
    const {services} = inlineConfig(web({environment: {A: '[{{config:X}}]'}}), {rows: [row('X', "$&{{config:X}}$1{{publicUrl:web}}")]})
    expect(services[0]?.environment['A']?.text).toBe('[$&{{config:X}}$1{{publicUrl:web}}]')
  })

  test('leave nothing where there is none, and that is told once for each service', () => {
    const {services, unknown} = inlineConfig(web({environment: {A: 'a{{config:NONE}}b', B: '{{config:NONE}}'}}), {rows: []})
    expect(services[0]?.environment).toMatchObject({A: {text: 'ab'}, B: {text: ''}})
    expect(unknown).toEqual([{service: 'web', key: 'NONE'}])
  })

  test('an empty value is a value', () => {
    expect(inlineConfig(web({environment: {A: '{{config:X}}'}}), {rows: [row('X', '')]})).toMatchObject({unknown: [], rows: []})
  })

  test('what is meant for later, or for someone else, stays', () => {
    const text = '{{publicUrl:web}} {{host}} {{env:web:A}} {{ $json.name }} {{config:MY-KEY}}'
    expect(inlineConfig(web({environment: {A: text}}), {rows: []}).services[0]?.environment['A']?.text).toBe(text)
  })
})

describe('secrets of an environment', () => {
  test('are taken out of it', () => {
    const {services, rows} = inlineConfig(web({environment: {PLAIN: 'x', DSN: 'db://{{config:PW}}'}, secretEnv: ['DSN', 'NOWHERE']}), {rows: [row('PW', 'hush', {isSecret: true})]})
    expect(services[0]?.environment).toEqual({PLAIN: {text: 'x', isSecret: false}})
    expect(rows).toEqual([
      {service: 'web', key: 'DSN', value: 'db://hush', isSecret: true},
      {service: 'web', key: 'PW', value: 'hush', isSecret: true},
    ])
  })

  test('give way to the value of a config field of the same key, and stay where that has none', () => {
    const definition = web({environment: {PW: 'preset'}, secretEnv: ['PW']})
    expect(inlineConfig(definition, {rows: [row('PW', 'hush', {isSecret: true})]}).rows.map(({value}) => value)).toEqual(['preset', 'hush'])
    expect(inlineConfig(definition, {rows: [row('PW', '')]}).rows.map(({value}) => value)).toEqual(['preset'])
  })

  test('a key that every object has is a key like any other', () => {
    const definition = web({environment: JSON.parse('{"__proto__": "a", "constructor": "b"}')})
    expect(Object.entries(inlineConfig(definition, {rows: []}).services[0]?.environment ?? {}).map(([key, {text}]) => [key, text])).toContainEqual(['constructor', 'b'])
  })
})
