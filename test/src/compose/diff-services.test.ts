import fc from 'fast-check'
import {describe, expect, test} from 'vitest'
import {diffServices} from '../../../src/compose/diff-services.js'
import {fingerprint} from '../../../src/compose/fingerprint.js'
import {anyProject} from './arbitrary-release.js'
import {keys, project} from './read.js'

const mask = '••••••••'

async function fieldsBetween(before: string, after: string) {
  const [change] = diffServices([await keys(before)], [await keys(after)])
  return (change?.fields ?? []).map(({field, from, to}) => [field, from, to])
}

describe('a difference', () => {
  test('names services that came, went and changed', async () => {
    const before = await project('services: {same: {image: x}, gone: {image: x}, changed: {image: x:1}}')
    const after = await project('services: {new: {image: x}, changed: {image: x:2}, same: {image: x}}')
    expect(diffServices(before.services, after.services)).toEqual([
      {service: 'changed', change: 'changed', fields: [{field: 'image', from: 'x:1', to: 'x:2'}]},
      {service: 'gone', change: 'removed', fields: []},
      {service: 'new', change: 'added', fields: []},
    ])
  })

  test.each([
    ['image: a', 'image: b', [['image', 'a', 'b']]],
    ['environment: {A: secret1, B: same, C: x}', 'environment: {A: secret2, B: same, D: ""}', [['environment.A', mask, mask], ['environment.C', mask, null], ['environment.D', null, '']]],
    ['labels: {a: "1"}', 'labels: {a: "2"}', [['labels.a', '1', '2']]],
    ['mem_limit: 1g', 'mem_limit: 2g\nuser: "5"', [['others.mem_limit', '1g', '2g'], ['others.user', null, '5']]],
    ['ports: ["80:80"]', 'ports: ["81:80"]', [['ports', [{hostAddress: null, hostPort: 80, containerPort: 80, protocol: 'tcp'}], [{hostAddress: null, hostPort: 81, containerPort: 80, protocol: 'tcp'}]]]],
    ['healthcheck: {test: a, interval: 5s}', 'healthcheck: {test: a, interval: 6s}', [['healthcheck.interval', '5s', '6s']]],
    ['build: {context: a, args: {K: one}}', 'build: {context: b, args: {K: two}}', [['build.context', 'a', 'b'], ['build.args.K', mask, mask]]],
    ['image: x', 'image: x\nbuild: {context: b, args: {K: two}}', [['build', null, {context: 'b', dockerfile: 'Dockerfile', dockerfileInline: null, args: {K: mask}, target: null}]]],
    ['restart: always', 'user: "1"', [['restart', 'always', null], ['others.user', null, '1']]],
  ])('of %j and %j', async (before, after, expected) => {
    expect(await fieldsBetween(before, after)).toEqual(expected)
  })

  test('hides secrets of the environment wherever they are repeated', async () => {
    const before = 'environment: {DB_PASSWORD: hunter22, NAME: shop}\ncommand: [run, "--pw=hunter22", shop]'
    expect(await fieldsBetween(before, before.replace('run', 'start'))).toEqual([['command', ['run', `--pw=${mask}`, 'shop'], ['start', `--pw=${mask}`, 'shop']]])
  })

  test('hides the text of files', async () => {
    const top = (content: string) => `secrets: {s: {environment: S}}\nconfigs: {c: {content: ${content}}}`
    const read = (content: string) => keys('configs: [c]\nsecrets: [s]', {top: top(content), variables: {S: content}})
    const found = JSON.stringify(diffServices([await read('first-text')], [await read('other-text')]))
    expect(found).toContain('"field":"files"')
    expect(found).not.toMatch(/first-text|other-text/)
  })

  test('is none exactly where the fingerprints are the same', () => {
    fc.assert(fc.property(anyProject, anyProject, (a, b) => {
      const [before, after] = [a.services[0], b.services[0]]
      if (before === undefined || after === undefined) return
      expect(diffServices([before], [after]).length === 0).toBe(fingerprint(before) === fingerprint(after))
      expect(diffServices([before], [JSON.parse(JSON.stringify(before)) as typeof before])).toEqual([])
    }))
  })
})

describe('a fingerprint', () => {
  test('is the same for what means the same', async () => {
    const forms = ['environment: [B=2, A=1]\nmem_limit: 1024m\nports: ["80:80"]\nhealthcheck: {test: x, interval: 60s}', 'healthcheck: {interval: 1m, test: [CMD-SHELL, x]}\nports: [{target: 80, published: 80}]\nenvironment: {A: "1", B: "2"}\ndeploy: {resources: {limits: {memory: 1g}}}']
    const [a, b] = await Promise.all(forms.map(async (form) => fingerprint(await keys(form))))
    expect(a).toBe(b)
    expect(a).toMatch(/^[0-9a-f]{24}$/)
  })

  test('is another one for any other value', async () => {
    const texts = ['image: a', 'image: b', 'command: []', 'command: ""\nentrypoint: x', 'user: "1"', 'environment: {A: ""}', 'environment: {A: b}', 'ports: ["1"]', 'restart: always']
    const found = await Promise.all(texts.map(async (text) => fingerprint(await keys(text))))
    expect(new Set(found).size).toBe(texts.length)
  })
})
