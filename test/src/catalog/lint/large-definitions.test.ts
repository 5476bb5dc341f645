import {expect, test} from 'vitest'
import {lintDefinition} from '../../../../src/catalog/lint/lint-definition.js'

const base = {id: 'a', name: 'A', description: 'd', kind: 'template', logo: 'l', category: 'other', available: true}
const web = {name: 'web', image: 'nginx:1.27.3'}

function many<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({length: count}, (_, index) => make(index))
}

// Each is large, and made so that comparing everything with everything would take minutes.
test.each<[string, object]>([
  ['services that miss what they depend on', {services: many(4000, (i) => ({name: `service-${i}`, image: 'a:1.2', dependsOn: [`servise-${i}`, `service-${i + 1}`]}))}],
  ['a chain of services', {services: many(4000, (i) => ({name: `s${i}`, image: 'a:1.2', dependsOn: [`s${i + 1}`]}))}],
  ['config fields of services that are not there', {services: many(2000, (i) => ({name: `service-${i}`, image: 'a:1.2'})), configFields: many(4000, (i) => ({key: `K${i}`, service: `servise-${i}`, label: 'x', generateGroup: `g${i}`}))}],
  ['routes', {services: [{...web, exposed: true, routes: many(20_000, (i) => ({port: i}))}]}],
  ['endpoints', {services: [web], endpoints: many(5000, (i) => ({service: 'web', port: i, label: 'x', kind: 'http'}))}],
  ['conditions of settings', {services: [web], settings: [{id: 'a', label: 'a', fields: many(4000, (i) => ({key: `K${i}`, service: 'web', label: 'x', type: 'text', showIf: {field: `X${i}`}}))}]}],
  ['options', {services: [web], settings: [{id: 'a', label: 'a', fields: [{key: 'K', service: 'web', label: 'x', type: 'select', options: many(20_000, (i) => ({value: `v${i}`, label: 'x'}))}]}]}],
  ['secrets without a value', {services: [{...web, environment: Object.fromEntries(many(5000, (i) => [`KEY_${i}`, '{{config:KEX_1}}'])), secretEnv: many(5000, (i) => `KEX_${i}`)}]}],
  ['placeholders that are not closed', {services: [{...web, environment: {A: '{{config:'.repeat(30_000)}}]}],
  ['keys that nobody knows', Object.fromEntries(many(10_000, (i) => [`confgFields${i}`, 1]))],
  ['COPY lines and files', {services: [{name: 'web', build: {dockerfile: `FROM a:1.2\n${'COPY web/b /c\n'.repeat(10_000)}`, files: many(4000, (i) => ({path: `f${i}`, content: ''}))}}]}],
  ['services of the wrong type', {services: many(20_000, () => 5)}],
  ['a pattern that never ends', {services: [web], settings: [{id: 'a', label: 'a', fields: [{key: 'K', service: 'web', label: 'x', type: 'text', pattern: '^(a+)+$', default: `${'a'.repeat(60)}!`}]}]}],
])('a definition full of %s is checked in time', (_, parts) => {
  const text = JSON.stringify({...base, ...parts})
  const startMs = performance.now()
  const {findings} = lintDefinition(text)
  expect(performance.now() - startMs).toBeLessThan(10_000)
  expect(findings.length).toBeLessThanOrEqual(1000)
  if (findings.length === 1000) expect(findings.filter(({rule}) => rule === 'more-findings')).toMatchObject([{severity: 'info', line: 1, message: expect.stringContaining('more findings')}])
})
