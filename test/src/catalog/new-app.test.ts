import fc from 'fast-check'
import {describe, expect, test} from 'vitest'
import {categories} from '../../../src/catalog/definition.js'
import {lintDefinition} from '../../../src/catalog/lint/lint-definition.js'
import {labelOf, titleOf, toAppId} from '../../../src/catalog/name-texts.js'
import {databaseKinds} from '../../../src/catalog/new-app-databases.js'
import {scaffoldApp, scaffoldArticle, type NewApp} from '../../../src/catalog/new-app.js'

const plain: NewApp = {
  id: 'paste-box', name: 'Paste Box', description: 'Share snippets.', category: 'other', logo: 'docker', image: 'ghcr.io/example/paste-box:1.4.2', port: 8090, dataPath: undefined, database: 'none', secrets: [],
}

describe('a new definition', () => {
  test('gives the linter nothing to say, whatever was answered', () => {
    const answers = fc.record({
      category: fc.constantFrom(...categories), database: fc.constantFrom(...databaseKinds), image: fc.constantFrom(undefined, plain.image), port: fc.integer({min: 1, max: 65_535}),
      dataPath: fc.constantFrom(undefined, '/data', '/var/lib/app'), secrets: fc.constantFrom([], ['SECRET_KEY'], ['A_TOKEN', 'B_TOKEN']),
    })
    fc.assert(
      fc.property(answers, (given) => {
        const text = JSON.stringify({$schema: '../app.schema.json', ...scaffoldApp({...plain, ...given})})
        expect(lintDefinition(text, {fileName: 'paste-box.json', hasArticle: () => true}).findings).toEqual([])
      }),
    )
  })

  test.each([
    ['postgres', 'db', {DATABASE_URL: 'postgres://app:{{config:POSTGRES_PASSWORD}}@db:5432/app'}],
    ['mariadb', 'db', {DATABASE_URL: 'mysql://app:{{config:MARIADB_PASSWORD}}@db:3306/app'}],
    ['valkey', 'cache', {REDIS_URL: 'redis://:{{config:VALKEY_PASSWORD}}@cache:6379'}],
  ] as const)('with %s has the service %s and its address, with a generated password', (database, name, environment) => {
    const {services = [], configFields = [], minEngine} = scaffoldApp({...plain, database})
    expect(services.map((service) => service.name)).toEqual(['web', name])
    expect(services[0]).toMatchObject({environment, secretEnv: Object.keys(environment), dependsOn: [name]})
    expect(configFields).toMatchObject([{service: name, generate: 'secret', secret: true}])
    expect(minEngine).toBe('0.6.6')
  })

  test('without an image is built from a Dockerfile that runs as it is', () => {
    const [web] = scaffoldApp({...plain, image: undefined, port: 3000}).services ?? []
    expect(web?.build?.dockerfile).toContain('COPY web/index.html')
    expect(web?.build?.dockerfile).toContain('listen 3000;')
    expect(web?.image).toBeUndefined()
  })

  test('has an article that names what is installed', () => {
    expect(scaffoldArticle({...plain, database: 'postgres'})).toMatch(/^# Paste Box\n(.*\n)*- its own postgres:/)
    expect(scaffoldArticle({...plain, image: undefined})).toContain('Dockerfile')
  })
})

test.each([['Paste Box', 'paste-box'], ['  Überraschung!', 'uberraschung'], ['a__b--c', 'a-b-c'], ['日本', undefined], ['x'.repeat(200), 'x'.repeat(100)]])('the id made of %j is %s', (name, id) => {
  expect(toAppId(name)).toBe(id)
})

test('names become texts for people', () => {
  expect([titleOf('paste-box'), labelOf('DB_PASSWORD'), labelOf('smtpHost'), labelOf('__')]).toEqual(['Paste Box', 'DB password', 'SMTP host', '__'])
})
