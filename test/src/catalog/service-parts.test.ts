import fc from 'fast-check'
import {describe, expect, test} from 'vitest'
import {findPathClash, layOutBuilds} from '../../../src/catalog/build-context.js'
import {buildFolder} from '../../../src/catalog/build-folder.js'
import {formatDuration, parseDurationNs, stopGraceSeconds} from '../../../src/catalog/durations.js'
import {mapHealthcheck} from '../../../src/catalog/map-healthcheck.js'
import {splitWords} from '../../../src/compose/shell-words.js'
import {startOrder} from '../../../src/catalog/start-order.js'
import {parseVolume} from '../../../src/catalog/volumes.js'

describe('a duration', () => {
  test.each<[string, number | undefined]>([
    ['5s', 5e9], ['1m30s', 90e9], ['1.5h', 5400e9], ['500ms', 5e8], ['10us', 1e4], ['10µs', 1e4], ['7ns', 7], ['30', 30e9], ['0', 0],
    ['', undefined], ['5 s', undefined], ['-5s', undefined], ['5d', undefined], ['s', undefined], ['1m30', undefined], ['9'.repeat(32), undefined],
  ])('%j is %s ns', (text, ns) => {
    expect(parseDurationNs(text)).toBe(ns)
  })

  test('is written so that it is read as the same', () => {
    expect([90e9, 0, 1_500_000_000, 3_600_000_000_001].map(formatDuration)).toEqual(['1m30s', '0s', '1s500ms', '1h1ns'])
    fc.assert(
      fc.property(fc.maxSafeNat(), (ns) => {
        expect(parseDurationNs(formatDuration(ns))).toBe(ns)
      }),
    )
  })

  test('of a stop is whole seconds: some time stays some', () => {
    expect(['60s', '10m', '1m30s', '400ms', '0', '1500ms', 'x'].map(stopGraceSeconds)).toEqual([60, 600, 90, 1, 0, 2, undefined])
  })
})

describe('a health check', () => {
  const testOf = (test?: string | string[]) => {
    const check = mapHealthcheck({test})
    return check.disabled ? 'disabled' : check.test
  }

  test('is a shell command as a text, and a list as it is written or a command', () => {
    expect([testOf('curl x'), testOf(['CMD', 'a']), testOf(['CMD-SHELL', 'a']), testOf(['a', 'b']), testOf(['NONE']), testOf(), testOf([])]).toEqual([
      ['CMD-SHELL', 'curl x'], ['CMD', 'a'], ['CMD-SHELL', 'a'], ['CMD', 'a', 'b'], 'disabled', null, null,
    ])
    expect(mapHealthcheck({disable: true, test: 'x'})).toEqual({disabled: true})
  })

  test('leaves to the image what it does not say, or says in a way that can not be read', () => {
    expect(mapHealthcheck({test: 'x', interval: '5s', timeout: 'soon', startPeriod: '1m', retries: 0})).toEqual({
      disabled: false, test: ['CMD-SHELL', 'x'], intervalNs: 5e9, timeoutNs: null, startPeriodNs: 60e9, retries: 0,
    })
  })
})

describe('a command', () => {
  test.each<[string, string[] | undefined]>([
    ['server --port 80', ['server', '--port', '80']],
    ['  a   b ', ['a', 'b']],
    [`sh -c "echo \\"a b\\" '$HOME'"`, ['sh', '-c', `echo "a b" '$HOME'`]],
    [`a'b c'"d e"\\ f`, ['ab cd e f']],
    [`'' ""`, ['', '']],
    ['a && b | c > d', ['a', '&&', 'b', '|', 'c', '>', 'd']],
    ['"\\n"', ['\\n']],
    ['', []],
    ['a "b', undefined],
    ["a'", undefined],
  ])('%j is split into words, and no shell reads it', (text, words) => {
    expect(splitWords(text)).toEqual(words)
  })

  test('of words in single quotes comes apart as it was put together', () => {
    fc.assert(fc.property(fc.array(fc.string()), (words) => {
      expect(splitWords(words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' '))).toEqual(words)
    }))
  })
})

describe('services start', () => {
  const services = (dependsOn: Record<string, string[]>) => Object.entries(dependsOn).map(([name, names]) => ({name, dependsOn: names}))
  const order = (dependsOn: Record<string, string[]>) => startOrder(services(dependsOn)).map(({name}) => name)

  test('after what they depend on, and else as they are written', () => {
    expect(order({web: ['api', 'cache'], api: ['db'], cache: [], db: []})).toEqual(['db', 'api', 'cache', 'web'])
  })

  test('without names that are no service, and without themselves', () => {
    expect(startOrder(services({a: ['none', 'a', 'b', 'b', 'toString'], b: []}))).toEqual([{name: 'b', after: []}, {name: 'a', after: ['b']}])
  })

  test('each once, in a circle too', () => {
    expect(startOrder(services({a: ['b'], b: ['c'], c: ['a']}))).toEqual([{name: 'c', after: []}, {name: 'b', after: ['c']}, {name: 'a', after: ['b']}])
  })

  test('in a chain of any length', () => {
    const chain = Array.from({length: 20_000}, (_, index) => ({name: `s${index}`, dependsOn: [`s${index + 1}`]}))
    expect(startOrder(chain)[0]?.name).toBe('s19999')
  })

  test('in any graph: all of them, and nothing before what it waits for', () => {
    const names = ['a', 'b', 'c', 'd', 'e']
    fc.assert(
      fc.property(fc.array(fc.array(fc.constantFrom(...names, 'x')), {minLength: 5, maxLength: 5}), (lists) => {
        const steps = startOrder(names.map((name, index) => ({name, dependsOn: lists[index] ?? []})))
        expect(steps.map(({name}) => name).toSorted()).toEqual(names)
        for (const [index, {after}] of steps.entries()) {
          for (const other of after) expect(steps.slice(0, index).some(({name}) => name === other)).toBe(true)
        }
      }),
    )
  })
})

test.each([
  ['data:/var/lib', {kind: 'named', source: 'data', target: '/var/lib', mode: null, realName: 'moorage-shop-data'}],
  ['data:/var/lib:ro', {kind: 'named', source: 'data', target: '/var/lib', mode: 'ro', realName: 'moorage-shop-data'}],
  ['/srv:/data', {kind: 'bind', source: '/srv', target: '/data', mode: null, realName: null}],
  ['./x:/data', {kind: 'bind', source: './x', target: '/data', mode: null, realName: null}],
  ['..:/data', {kind: 'bind', source: '..', target: '/data', mode: null, realName: null}],
  ['/data', {kind: 'anonymous', source: null, target: '/data', mode: null, realName: null}],
  ['data', undefined],
  ['data:relative', undefined],
  ['a:/b:ro:x', undefined],
  ['a b:/c', undefined],
  ['', undefined],
])('the volume %j', (text, expected) => {
  expect(parseVolume(text, 'shop')).toEqual(expected)
})

describe('builds', () => {
  const text = (content: string) => ({text: content, isSecret: false})
  const service = (name: string, files: Record<string, string> = {}, dockerfile = 'FROM x:1') => ({
    name, environment: {}, build: {dockerfile: text(dockerfile), files: Object.entries(files).map(([path, content]) => ({path, content: text(content)}))},
  })

  test.each([['Web API', 'web-api'], ['web', 'web'], ['--x--', 'x'], ['日本', 'service'], ['a.b_c', 'a.b_c']])('of %j are in the folder %j', (name, folder) => {
    expect(buildFolder(name)).toBe(folder)
  })

  test('share one context: a folder for each service, and in it the Dockerfile', () => {
    const builds = layOutBuilds([service('Web', {'src/./main.js': 'x', '..keep': ''}), service('api'), {name: 'db', environment: {}, build: null}])
    expect([...builds.keys()]).toEqual(['Web', 'api'])
    expect(builds.get('Web')).toMatchObject({folder: 'web', dockerfile: 'web/Dockerfile'})
    expect(builds.get('Web')?.files.map(({path}) => path)).toEqual(['web/Dockerfile', 'web/src/main.js', 'web/..keep'])
  })

  test('take from the environment what the Dockerfile declares', () => {
    const dockerfile = 'ARG BASE=x:1\nFROM $BASE\narg A B="1 2" \\\n  C\n# ARG NOT\nRUN echo ARG D'
    expect(layOutBuilds([service('web', {}, dockerfile)]).get('web')?.arguments).toEqual(['BASE', 'A', 'B', 'C'])
  })

  test.each<[string, ReturnType<typeof service>[]]>([
    ['same folder', [service('a b'), service('a-b')]],
    ['no name of a folder', [service('..')]],
    ['is blank', [service('web', {}, ' \n')]],
    ['two build files at web/Dockerfile', [service('web', {'./Dockerfile': 'x'})]],
    ['two build files at web/a/b', [service('web', {'a/b': '', 'a/b/c': ''})]],
    ['lies outside', [service('web', {'../x': ''})]],
    ['lies outside', [service('web', {'/x': ''})]],
    ['lies outside', [service('web', {'a/..': ''})]],
  ])('that can not be laid out are refused: %s', (message, services) => {
    const refused = () => layOutBuilds(services)
    expect(refused).toThrow(expect.objectContaining({code: 'DEFINITION_INVALID'}))
    if (!message.includes('a/b')) expect(refused).toThrow(message)
  })

  test('a path clashes with itself and with what would lie in it', () => {
    expect([['a', 'b'], ['a', 'a'], ['a', 'ab'], ['a/b', 'a/b/c'], ['a/b/c/d', 'a']].map(findPathClash)).toEqual([undefined, 'a', undefined, 'a/b/c', 'a/b/c/d'])
  })
})
