import {expect, test} from 'vitest'
import {exampleApp} from '../../../../src/catalog/lint/examples.js'
import {lintDefinition} from '../../../../src/catalog/lint/lint-definition.js'
import {lintSet} from '../../../../src/catalog/lint/lint-set.js'

function lintTexts(...texts: string[]): string[][] {
  const files = texts.map((text, index) => ({file: `${index}.json`, result: lintDefinition(text, {file: `${index}.json`})}))
  return lintSet(files).map((findings) => findings.map(({rule, path, line, message}) => `${rule} ${path} ${line} ${message}`))
}

const app = (parts: object): string => JSON.stringify({...exampleApp, ...parts}, null, 1)
const serving = (...ports: string[]): object => ({services: [{name: 'web', image: 'a:1.2', exposed: true, exposedPort: 80, ports}]})

test('an id that another file has is told at the later one', () => {
  expect(lintTexts(app({id: 'a'}), app({id: 'b'}), app({id: 'a'}))).toEqual([[], [], ['duplicate-app /id 2 0.json has the id a already']])
})

test('ids that differ only in capitals are told', () => {
  expect(lintTexts(app({id: 'a'}), app({id: 'A'}))[1]).toContain('id-case /id 2 0.json has the id a, which differs only in capitals')
})

test('host ports of other files are told, those of one file are not told here', () => {
  expect(lintTexts(app({id: 'a', ...serving('80:80', '81:80/udp')}), app({id: 'b', ...serving('127.0.0.1:80:80', '81:80', '82:80')}))).toEqual([
    [], ['host-port-clash /services/0/ports/0 16 a uses the host port 80, too'],
  ])
})

test('files that can not be read, or have no id, are in nobody’s way', () => {
  expect(lintTexts('', '[]', '{', app({id: 5}), app({id: 5}), app({})).map((findings) => findings.filter((text) => text.startsWith('duplicate')))).toEqual([[], [], [], [], [], []])
})

test('a definition with broken parts still takes part, at its own places', () => {
  const broken = app({id: 'b', services: [5, {name: 'web', image: 'a:1.2', exposed: true, exposedPort: 80, ports: [7, '80:80']}]})
  expect(lintTexts(app({id: 'a', ...serving('80:80')}), broken)[1]?.filter((text) => text.startsWith('host-port'))).toEqual(['host-port-clash /services/1/ports/1 18 a uses the host port 80, too'])
})
