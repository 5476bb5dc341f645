import {describe, expect, test} from 'vitest'
import {localizeConnection} from '../../../src/catalog/localize-connection.js'
import {pickText} from '../../../src/catalog/pick-text.js'
import {publicUrlsOf} from '../../../src/catalog/public-urls.js'
import {loopbackNote, resolveConnection, type ConnectionSources} from '../../../src/catalog/resolve-connection.js'
import {appWith} from './app-fixture.js'

const services = [{name: 'web', image: 'web:1', exposedPort: 80}, {name: 'db', image: 'db:1', ports: ['5432:5432']}]

function resolve(output: object, {environments = {}, host, url = 'https://x.example.com', ...more}: {environments?: Record<string, Record<string, string>>; host?: string; url?: string | null; configFields?: object[]} = {}) {
  const definition = appWith({services, connection: {outputs: [{id: 'o', label: 'O', ...output}]}, ...more})
  const urls = publicUrlsOf(definition.services ?? [], {host, urls: url === null ? [] : [{service: 'web', port: null, url}]})
  const sources: ConnectionSources = {environments: new Map(Object.entries(environments)), urls, host}
  return resolveConnection(definition, sources)?.outputs[0]
}

const value = (source: string, options: Parameters<typeof resolve>[1] = {}) => resolve({source}, options)?.value

describe('an output', () => {
  test('of a variable has its value, with the addresses in it', () => {
    const environments = {web: {A: 'a', ORIGIN: '{{publicUrl:web}}/x'}}
    expect(value('env:web:A', {environments})).toBe('a')
    expect(value('env:web:ORIGIN', {environments})).toBe('https://x.example.com/x')
  })

  test('is empty while it has no value, or only a part of one', () => {
    expect(value('env:web:NONE')).toBe('')
    expect(value('env:web:toString', {environments: {web: {}}})).toBe('')
    expect(value('env:web:ORIGIN', {environments: {web: {ORIGIN: '{{publicUrl:db}}/x'}}})).toBe('')
    expect(value('publicUrl:web', {url: null})).toBe('')
  })

  test('of an address has it, by port where one is named', () => {
    expect(value('publicUrl:web')).toBe('https://x.example.com')
    expect(value('publicUrl:web:80')).toBe('https://x.example.com')
    expect(value('publicUrl:web:81')).toBe('')
  })

  test('of a template is put together from all of its parts', () => {
    const options = {environments: {db: {USER: 'kim', PW: 'hu$&sh'}}, host: 'h.example.com'}
    expect(value('template:db://{{env:db:USER}}:{{env:db:PW}}@{{host}}:5432/', options)).toBe('db://kim:hu$&sh@h.example.com:5432/')
    expect(value('template:{{publicUrl:web}}/admin', options)).toBe('https://x.example.com/admin')
    expect(value('template:', options)).toBe('')
  })

  test.each([
    ['a variable is not set', 'template:a{{env:db:NONE}}'],
    ['the host is not known', 'template:a{{host}}'],
    ['an address is not known', 'template:a{{publicUrl:db}}'],
    ['a key is no config field', 'template:a{{config:NONE}}'],
    ['a placeholder is none of ours', 'template:a{{ b }}'],
    ['a placeholder is malformed', 'template:a{{config:B-C}}'],
    ['a placeholder is not closed', 'template:a{{env:db:USER'],
  ])('of a template is empty where %s', (_, source) => {
    expect(value(source, {environments: {db: {USER: 'kim'}}, host: 'localhost', url: null})).toBe('')
  })

  test('hands out no placeholder that is in a stored value', () => {
    expect(value('env:web:A', {environments: {web: {A: '{{ $json.name }}'}}})).toBe('')
    expect(value('template:{{env:web:A}}', {environments: {web: {A: '{{env:db:USER}}'}, db: {USER: 'kim'}}})).toBe('')
  })

  test('takes {{config:KEY}} from the stored environment of the service of its field', () => {
    const configFields = [{key: 'PW', service: 'db', label: 'PW', default: 'of the definition'}]
    expect(value('template:a{{config:PW}}', {configFields, environments: {db: {PW: 'stored'}, web: {PW: 'other'}}})).toBe('astored')
    expect(value('template:a{{config:PW}}', {configFields})).toBe('')
  })

  test('has variants that are resolved the same way', () => {
    const variants = [{id: 'host', label: {en: 'From here', de: 'Von hier'}, source: 'template:http://{{host}}:5432'}]
    expect(resolve({source: 'publicUrl:web', variants}, {host: 'h.example.com'})?.variants).toEqual([{id: 'host', label: {en: 'From here', de: 'Von hier'}, value: 'http://h.example.com:5432'}])
  })

  test('belongs to the service it names, else to that of its source', () => {
    expect([{source: 'env:db:A'}, {source: 'publicUrl:web:80'}, {source: 'template:x'}, {source: 'template:x', service: 'db'}].map((output) => resolve(output)?.service)).toEqual(['db', 'web', null, 'db'])
  })

  test('says where its address answers on the host only', () => {
    expect(resolve({source: 'publicUrl:db'}, {host: 'h.example.com'})).toMatchObject({value: 'http://h.example.com:5432', note: loopbackNote})
    expect(resolve({source: 'template:x', variants: [{id: 'v', label: 'v', source: 'publicUrl:db'}]}, {host: 'h.example.com'})?.note).toBe(loopbackNote)
    expect(resolve({source: 'publicUrl:web'})?.note).toBeUndefined()
  })
})

test('an app without a card has none', () => {
  expect(resolveConnection(appWith({services}), {environments: new Map(), urls: publicUrlsOf([], {})})).toBeNull()
})

describe('a text in several languages', () => {
  const texts = {de: 'Hallo', en: 'Hello', 'pt-BR': 'Olá'}

  test.each([
    ['pt-BR', 'Olá'],
    ['de-AT', 'Hallo'],
    ['pt', 'Hello'],
    ['fr', 'Hello'],
    ['', 'Hello'],
    ['toString', 'Hello'],
  ])('is for %s: %s', (locale, expected) => {
    expect(pickText(texts, locale)).toBe(expected)
  })

  test('is the first there is where English is missing, and empty where there is none', () => {
    expect(pickText({fr: 'Salut', de: 'Hallo'}, 'nl')).toBe('Salut')
    expect(pickText({}, 'en')).toBe('')
    expect(pickText(undefined, 'en')).toBe('')
    expect(pickText('plain', 'de')).toBe('plain')
  })

  test('is one text of the card', () => {
    const card = {outputs: [], guide: {intro: texts}, title: 'Shop'}
    expect(localizeConnection(card, {note: {de: 'Nur hier', en: 'Here only'}, username: 'admin'}, 'de')).toEqual({
      title: 'Shop', description: null, outputs: [], guide: {intro: 'Hallo', useHint: '', defaultMode: 'internal'}, firstLogin: {username: 'admin', password: '', note: 'Nur hier'},
    })
  })
})
