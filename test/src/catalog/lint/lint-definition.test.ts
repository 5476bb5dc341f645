import fc from 'fast-check'
import {describe, expect, test} from 'vitest'
import {exampleApp} from '../../../../src/catalog/lint/examples.js'
import {lintDefinition, lintDefinitions} from '../../../../src/catalog/lint/lint-definition.js'
import {findRule} from '../../../../src/catalog/lint/rules.js'
import {fullDefinition} from '../full-definition.js'

const withParts = (parts: object): string => JSON.stringify({...exampleApp, ...parts}, null, 2)
const rulesOf = (text: string, options = {}): string[] => lintDefinition(text, options).findings.map(({rule}) => rule)

describe('a finding', () => {
  test('has its file, place, pointer, rule, severity and words', () => {
    const text = withParts({services: [{name: 'web', image: 'ghcr.io/example/paste:latest'}]})
    expect(lintDefinition(text, {file: 'apps/paste-box.json', fileName: 'paste-box.json'}).findings).toEqual([
      {
        file: 'apps/paste-box.json', line: 12, column: 16, endLine: 12, endColumn: 46, path: '/services/0/image', rule: 'image-unpinned', severity: 'warning',
        message: 'the tag latest moves; pin a version',
      },
    ])
  })

  test('about a placeholder stands at the placeholder, whatever is escaped before it', () => {
    const text = withParts({services: [{name: 'web', image: 'nginx:1.27.3', environment: {A: 'ä\n"\t{{config:NONE}} x'}}]})
    const [finding] = lintDefinition(text).findings
    expect(text.split('\n')[(finding?.line ?? 0) - 1]?.slice((finding?.column ?? 0) - 1, (finding?.endColumn ?? 0) - 1)).toBe('{{config:NONE}}')
  })

  test('about an object or a list stands at its opening bracket', () => {
    const [finding] = lintDefinition(withParts({prepare: [{service: 'web', command: 'x', capture: 'y'}]})).findings
    expect(finding).toMatchObject({rule: 'prepare-reruns', line: 18, column: 5, endLine: 18, endColumn: 6})
  })

  test('counts lines and columns the same with CRLF and a byte order mark', () => {
    const text = withParts({min_engine: '1.0.0'})
    const place = ({line, column}: {line: number; column: number}): number[] => [line, column]
    const plain = lintDefinition(text).findings.map(place)
    expect(plain).toEqual([[17, 3]])
    expect(lintDefinition(text.replaceAll('\n', '\r\n')).findings.map(place)).toEqual(plain)
    expect(lintDefinition(`\uFEFF${text}`).findings.map(place)).toEqual([[1, 1], ...plain])
  })

  test('stands in the order of the file', () => {
    const lines = lintDefinition(withParts({logo: 'a b', category: 'x', services: [{name: 'a b', image: 'x:latest', restart: 'x'}], nonsense: 1})).findings.map(({line}) => line)
    expect(lines).toEqual(lines.toSorted((a, b) => a - b))
    expect(lines.length).toBeGreaterThan(4)
  })
})

describe('a misspelt key', () => {
  test('is warned about with the right one, and the server loads the definition without it', () => {
    const {findings, definition} = lintDefinition(withParts({services: [{...exampleApp.services[0], dependson: ['db'], enviroment: {A: 'b'}}]}))
    expect(findings.map(({rule, severity, path, suggestion}) => [rule, severity, path, suggestion])).toEqual([
      ['unknown-key', 'warning', '/services/0/dependson', 'dependsOn'], ['unknown-key', 'warning', '/services/0/enviroment', 'environment'],
    ])
    expect(definition?.services).toEqual(exampleApp.services)
  })
})

describe('a definition with a broken part', () => {
  test('still gets everything said that can be said, at the right places', () => {
    const text = withParts({
      services: [{name: 5, image: 'a:latest'}, {name: 'web', image: 'nginx:latest', ports: [80, '81:x'], environment: {A: 1, B: '{{publicUrl:nowhere}}', C: '{{config:D}}'}}],
      configFields: [{key: 'X', service: 'web', label: 'X', generate: 'secret'}],
    })
    expect(lintDefinition(text).findings.map(({rule, path}) => [rule, path])).toEqual([
      ['wrong-type', '/services/0/name'],
      ['image-unpinned', '/services/1/image'],
      ['wrong-type', '/services/1/ports/0'],
      ['port-syntax', '/services/1/ports/1'],
      ['wrong-type', '/services/1/environment/A'],
      ['config-ref-unknown', '/services/1/environment/C'],
      ['generated-not-secret', '/configFields/0'],
    ])
  })

  test('hears nothing that only follows from it', () => {
    expect(rulesOf(withParts({services: [{name: ['web'], image: 'nginx:1.27.3'}, {name: 'db', image: 'postgres:16.4', dependsOn: ['web']}], endpoints: [{service: 'web', port: 1, label: 'x', kind: 'http'}]}))).toEqual(['wrong-type'])
    expect(rulesOf(withParts({services: 'web', available: true}))).toEqual(['wrong-type'])
    expect(rulesOf(withParts({services: [{name: 'web', image: 'nginx:1.27.3', environment: {A: '{{config:B}}'}, secretEnv: ['B']}], configFields: [{key: 'B', service: 'web', label: 5}]}))).toEqual(['wrong-type'])
    expect(rulesOf(withParts({minEngine: 1, services: [{name: 'web', image: 'nginx:1.27.3', stopGracePeriod: '60s'}]}))).toEqual(['wrong-type'])
    expect(rulesOf(withParts({id: 5}), {fileName: 'paste-box.json'})).toEqual(['wrong-type'])
    expect(rulesOf(withParts({id: undefined, name: undefined}), {fileName: 'x.json'})).toEqual(['missing-key', 'missing-key'])
  })

  test('or broken syntax hears only of that', () => {
    expect(rulesOf('{"id": "x",, "category": 5}')).toEqual(['json-syntax'])
  })
})

describe('a manifest', () => {
  test('is checked entry by entry, with paths and lines of the whole file', () => {
    const text = JSON.stringify({version: 1, apps: [exampleApp, {...exampleApp, name: 5}]}, null, 2)
    const {findings, definition} = lintDefinition(text, {file: 'catalog.json', fileName: 'catalog.json', isManifest: true})
    expect(findings.map(({path, line, rule}) => [path, line, rule])).toEqual([['/apps/1/name', 23, 'wrong-type']])
    expect(definition).toBeNull()
  })

  test('without a list of apps is told', () => {
    expect(lintDefinition('{"version": 1}', {isManifest: true}).findings).toMatchObject([{rule: 'wrong-type', path: '/apps'}])
    expect(lintDefinition('[', {isManifest: true}).findings).toMatchObject([{rule: 'json-syntax'}])
  })
})

test('many texts at once are told what each is told alone', () => {
  const texts = ['', withParts({category: 'x'}), '[', withParts({}), withParts({services: [{name: 'a', image: 'a:latest'}]})]
  const manifest = {text: JSON.stringify({apps: [exampleApp, {...exampleApp, name: 5}]}), file: 'm', isManifest: true}
  const inputs = [...texts.map((text, index) => ({text, file: `${index}`})), manifest, {text: withParts({logo: ''}), file: 'z'}]
  expect(lintDefinitions(inputs).map(({findings, definition}) => ({findings, definition}))).toEqual(
    inputs.map(({text, ...options}) => lintDefinition(text, options)).map(({findings, definition}) => ({findings, definition})),
  )
  expect(lintDefinitions([])).toEqual([])
})

test('the definition that uses every key gets no error but what its contradictions deserve', () => {
  const {findings} = lintDefinition(JSON.stringify(fullDefinition, null, 2), {fileName: 'paste-box.json', engine: '1.0.0'})
  expect(findings.filter(({severity, rule}) => severity === 'error' || rule === 'unknown-key')).toEqual([])
})

const bits = fc.constantFrom('{{config:', '}}', '{{', '{{host}}', 'publicUrl:web', 'env:a:b', 'template:', ':', '/', '..', '\u0000', '\ud800', 'a', '1', '^(', '$', '🙂', '\n', ' ', '8080:80', '-', '\\')
const oddText = fc.array(bits, {maxLength: 6}).map((parts) => parts.join(''))

test('no mutation of a definition makes it throw, and every finding has a known rule and a place in the file', () => {
  const lines = JSON.stringify(fullDefinition, null, 2).split('\n')
  const change = fc.record({line: fc.nat({max: lines.length - 1}), kind: fc.constantFrom('text', 'number', 'drop', 'repeat', 'raw', 'key'), text: oddText})
  fc.assert(
    fc.property(fc.array(change, {minLength: 1, maxLength: 5}), (changes) => {
      const changed = [...lines]
      for (const {line, kind, text} of changes) {
        const old = changed[line] ?? ''
        const quoted = JSON.stringify(text)
        if (kind === 'drop') changed[line] = ''
        else if (kind === 'repeat') changed[line] = `${old}\n${old}`
        else if (kind === 'raw') changed[line] = text
        else if (kind === 'key') changed[line] = old.replace(/"[^"]*":/, () => `${quoted}:`)
        else changed[line] = old.replace(/(: )?"[^"]*"(,?)$/, (_, colon: string | undefined, comma: string) => `${colon ?? ''}${kind === 'text' ? quoted : '7'}${comma}`)
      }
      const text = changed.join('\n')
      const {findings, definition} = lintDefinition(text, {file: 'x.json', fileName: 'x.json', engine: '1.0.0', hasArticle: () => false})
      const count = text.split('\n').length
      for (const finding of findings) {
        expect(findRule(finding.rule)?.severity, finding.rule).toBe(finding.severity)
        expect(finding.line).toBeGreaterThanOrEqual(1)
        expect(finding.endLine).toBeLessThanOrEqual(count)
        expect(finding.column).toBeGreaterThanOrEqual(1)
        expect(finding.endLine > finding.line || finding.endColumn >= finding.column).toBe(true)
        expect(finding.message).toMatch(/^\S[^\n]*$/s)
        if (finding.path === '') expect(/^json-|^wrong-type$|^not-available$/.test(finding.rule), finding.rule).toBe(true)
      }
      if (definition === null) expect(findings.some(({severity}) => severity === 'error')).toBe(true)
    }),
    {numRuns: 1500},
  )
})
