import path from 'node:path'
import fc from 'fast-check'
import {describe, expect, test} from 'vitest'
import {FieldPlan} from '../../../../src/catalog/compose-import/field-plan.js'
import {ImportNotes} from '../../../../src/catalog/compose-import/import-notes.js'
import {FolderBudget, folderLimits, insideFolder} from '../../../../src/catalog/compose-import/project-folder.js'
import {hasForm, isOutsideName, isSecretName, looksSecret, wordsOf} from '../../../../src/catalog/compose-import/secret-names.js'
import {settleDefinition} from '../../../../src/catalog/compose-import/settle-definition.js'
import {lintDefinition} from '../../../../src/catalog/lint/lint-definition.js'
import {importLines} from '../../../../src/cli/import-text.js'
import {fullDefinition} from '../full-definition.js'

describe('the name of a variable', () => {
  test.each([
    ['DB_PASSWORD', ['db', 'password']], ['sessionSecret', ['session', 'secret']], ['xpack.security.key', ['xpack', 'security', 'key']], ['a__b', ['a', 'b']], ['S3-KEY', ['s3', 'key']], ['', []],
  ])('%s has the words %j', (name, words) => {
    expect(wordsOf(name)).toEqual(words)
  })

  test.each([
    ['MEILI_MASTER_KEY', true], ['RAILS_SECRET_KEY_BASE', true], ['MYSQL_ROOT_PASSWORD', true], ['TYPESENSE_API_KEY', true], ['password', true], ['COOKIE_SECRET', true],
    ['RECAPTCHA_SITE_KEY', false], ['SSH_KEY', false], ['PASSWORD_LOGIN', false], ['SECRETARY', false], ['TOKENS', false], ['PUBLISHABLE_KEY', false], ['KEYCLOAK_URL', false], ['PRIMARY_KEY', false],
  ])('%s names a secret: %s', (name, isSecret) => {
    expect(isSecretName(name)).toBe(isSecret)
  })

  test.each([
    ['SMTP_PASSWORD', true], ['STRIPE_SECRET_KEY', true], ['WEATHER_API_KEY', true], ['RSA_PRIVATE_KEY', true], ['GOOGLE_CLIENT_SECRET', true],
    ['API_KEY', false], ['DB_PASSWORD', false], ['JWT_SECRET', false], ['MASTER_KEY', false],
  ])('%s names one that comes from somebody else: %s', (name, isOutside) => {
    expect(isOutsideName(name)).toBe(isOutside)
  })

  test.each([['hunter2', true], ['changeme', true], ['true', false], ['OFF', false], ['30', false], ['86400', true], ['/run/secrets/x', false], ['', false], ['null', false]])('the value %j could be a secret: %s', (value, could) => {
    expect(looksSecret(value)).toBe(could)
  })

  test('a value in a form of its own is known', () => {
    expect([hasForm('base64:AAAA'), hasForm('-----BEGIN RSA PRIVATE KEY-----'), hasForm('aaaa')]).toEqual([true, true, false])
  })
})

describe('a path of a Compose file', () => {
  test.each([['a/b', 'a/b'], ['./a//b/', 'a/b'], ['.', ''], ['a/../b', 'b'], ['..', undefined], ['a/../../b', undefined], ['/etc', undefined], ['~/x', undefined], ['a\0b', undefined], ['..x/y', '..x/y']])('%j is %j', (given, inside) => {
    expect(insideFolder(given)).toBe(inside)
  })

  test('never leads out, and means what the file system means', () => {
    const step = fc.constantFrom('a', 'b', '..', '.', '', '...', '~')
    fc.assert(
      fc.property(fc.array(step, {maxLength: 8}), (steps) => {
        const given = steps.join('/')
        const inside = insideFolder(given)
        if (inside === undefined) return
        expect(path.posix.resolve('/root', inside)).toBe(path.posix.resolve('/root', given))
        expect(path.posix.resolve('/root', inside).startsWith('/root')).toBe(true)
      }),
    )
  })
})

test('a budget takes what fits and counts only that', () => {
  const budget = new FolderBudget()
  expect(budget.take(['x'.repeat(folderLimits.totalBytes - 10)])).toBe(true)
  expect(budget.take(['x'.repeat(11)])).toBe(false)
  expect(budget.take(['x'.repeat(10)])).toBe(true)
  expect(new FolderBudget().take(Array.from({length: folderLimits.files + 1}, () => ''))).toBe(false)
})

describe('config fields', () => {
  const request = {services: ['web'], name: 'TOKEN', generate: 'secret' as const, secret: true}

  test('never share a key, whatever the sites are called', () => {
    const plan = new FieldPlan()
    const bound = [
      plan.addFields({...request, sites: [{service: 'web', key: 'TOKEN'}]}),
      plan.addFields({...request, sites: [{service: 'web', key: 'TOKEN'}]}),
      plan.addFields({...request, sites: []}),
      plan.addFields({...request, sites: []}),
      plan.addFields({...request, sites: [{service: 'web', key: 'a.b'}], name: 'a.b'}),
      plan.addFields({...request, sites: [], name: '1'}),
    ]
    expect(bound.map(({field}) => field)).toEqual(['TOKEN', 'WEB_TOKEN', 'TOKEN_2', 'TOKEN_3', 'a_b', '_1'])
    expect(new Set(plan.configFields.map(({key}) => key)).size).toBe(plan.configFields.length)
  })

  test('of one value are a group, and only where there are several', () => {
    const plan = new FieldPlan()
    plan.addFields({...request, sites: [{service: 'web', key: 'A'}, {service: 'db', key: 'B'}, {service: 'db', key: 'A'}]})
    plan.addFields({...request, sites: [{service: 'web', key: 'C'}]})
    expect(plan.configFields.map(({key, service, generateGroup}) => [key, service, generateGroup])).toEqual([['A', 'web', 'a'], ['B', 'db', 'a'], ['C', 'web', undefined]])
    expect([plan.writtenAt({service: 'db', key: 'B'}), plan.writtenAt({service: 'db', key: 'A'})]).toEqual([{isSecret: true, value: undefined}, undefined])
  })
})

describe('settling', () => {
  test('leaves a sound definition alone', () => {
    const notes = new ImportNotes()
    expect(settleDefinition(fullDefinition, notes)).toEqual(fullDefinition)
    expect(notes.all).toEqual([])
  })

  test('takes out what is refused, or what holds it where it is needed, and tells each', () => {
    const notes = new ImportNotes()
    const services = [{name: 'web', image: 'nginx:1.29.0', ports: ['80:80', 'x'], volumes: ['a:/a', 'b:/a']}, {name: 'n'.repeat(200), image: 'nginx:1.29.0'}]
    const settled = settleDefinition({...fullDefinition, services, configFields: [], settings: [], prepare: [], endpoints: [], files: [], connection: undefined, provides: []}, notes)
    expect(settled.services).toEqual([{name: 'web', image: 'nginx:1.29.0', ports: ['80:80'], volumes: ['a:/a']}])
    expect(notes.all.map(({service}) => service)).toContain('web')
    expect(lintDefinition(JSON.stringify(settled)).findings.filter(({severity}) => severity === 'error')).toEqual([])
  })
})

test('what an import tells is grouped, the losses first, and says what to do where there is something to do', () => {
  const notes = [
    {level: 'changed', service: 'web', key: 'volumes', why: 'became a volume', todo: 'nothing'},
    {level: 'lost', service: 'web', key: 'privileged', why: 'no such key', todo: 'leave it out'},
    {level: 'check', service: null, key: 'ports', why: 'none', todo: 'set one'},
  ] as const
  expect(importLines({definition: {...fullDefinition, files: []}, notes}, (_, text) => text)).toEqual([
    'paste-box: 3 services, 3 config fields, 5 settings',
    '', 'not carried over:', '  web: privileged: no such key', '    leave it out',
    '', 'carried over, to be checked by you:', '  ports: none', '    set one',
    '', 'carried over in another form:', '  web: volumes: became a volume',
  ])
})
