import {describe, expect, test} from 'vitest'
import {exampleApp} from '../../../../src/catalog/lint/examples.js'
import type {Finding} from '../../../../src/catalog/lint/finding.js'
import {lintDefinition} from '../../../../src/catalog/lint/lint-definition.js'
import {rules} from '../../../../src/catalog/lint/rules.js'
import {createPaint} from '../../../../src/cli/colour.js'
import {githubLine} from '../../../../src/cli/validate/github-report.js'
import {prettyFile} from '../../../../src/cli/validate/pretty-report.js'
import {toSarif} from '../../../../src/cli/validate/sarif-report.js'

const finding: Finding = {
  file: 'catalog/apps/paste, box.json', line: 3, column: 5, endLine: 3, endColumn: 9, path: '/services/0/image', rule: 'image-unpinned', severity: 'warning', message: '100% wrong:\nsay, "x"',
}

describe('annotations for GitHub', () => {
  test('escape what would end a property or a line', () => {
    expect(githubLine(finding)).toBe('::warning file=catalog/apps/paste%2C box.json,line=3,endLine=3,col=5,endColumn=9,title=image-unpinned::100%25 wrong:%0Asay, "x"')
    expect(githubLine({...finding, file: 'a:b%.json'})).toContain('file=a%3Ab%25.json,')
  })

  test('are errors, warnings and notices', () => {
    expect(githubLine({...finding, severity: 'error'})).toMatch(/^::error /)
    expect(githubLine({...finding, severity: 'info'})).toMatch(/^::notice /)
  })

  test('have columns within one line only', () => {
    expect(githubLine({...finding, endLine: 4})).toContain('line=3,endLine=4,title=')
  })
})

interface Sarif {
  readonly $schema: string
  readonly version: string
  readonly runs: readonly {
    readonly tool: {readonly driver: {readonly name: string; readonly rules: readonly {readonly id: string; readonly name: string; readonly shortDescription: {readonly text: string}; readonly help: {readonly text: string}; readonly defaultConfiguration: {readonly level: string}}[]}}
    readonly columnKind: string
    readonly results: readonly {
      readonly ruleId: string
      readonly ruleIndex: number
      readonly level: string
      readonly message: {readonly text: string}
      readonly locations: readonly {readonly physicalLocation: {readonly artifactLocation: {readonly uri: string}; readonly region: {readonly startLine: number; readonly startColumn: number; readonly endLine: number; readonly endColumn: number}}}[]
      readonly fixes?: readonly {readonly artifactChanges: readonly {readonly artifactLocation: object; readonly replacements: readonly {readonly deletedRegion: {readonly charOffset: number; readonly charLength: number}; readonly insertedContent?: {readonly text: string}}[]}[]}[]
    }[]
  }[]
}

describe('SARIF', () => {
  test('has what the format asks for: version, driver with rules, results with rule, level, message and region', () => {
    const log = toSarif([finding, {...finding, rule: 'json-syntax', severity: 'error', path: '', line: 1, column: 1, endLine: 1, endColumn: 1}, {...finding, severity: 'info', rule: 'prepare-reruns'}], '1.2.3') as Sarif
    expect(log.version).toBe('2.1.0')
    expect(log.$schema).toMatch(/^https:\/\/.*sarif-2\.1\.0\.json$/)
    const [run] = log.runs
    if (run === undefined) throw new Error('there is a run')
    expect(run.tool.driver).toMatchObject({name: 'moorage', semanticVersion: '1.2.3'})
    expect(run.columnKind).toBe('utf16CodeUnits')
    for (const rule of run.tool.driver.rules) {
      expect(rule.id).toBe(rule.name.replace(/(?<!^)([A-Z])/g, '-$1').toLowerCase())
      expect(rule.shortDescription.text).toMatch(/^[A-Z].*\.$/)
      expect(rule.help.text.length).toBeGreaterThan(20)
    }
    for (const result of run.results) {
      expect(run.tool.driver.rules[result.ruleIndex]?.id).toBe(result.ruleId)
      expect(['error', 'warning', 'note']).toContain(result.level)
      expect(result.message.text).not.toBe('')
      const region = result.locations[0]?.physicalLocation.region
      for (const number of [region?.startLine, region?.startColumn, region?.endLine, region?.endColumn]) expect(number).toBeGreaterThanOrEqual(1)
    }
    expect(run.results.map(({level}) => level)).toEqual(['warning', 'error', 'note'])
    expect(run.results[0]?.locations[0]?.physicalLocation).toEqual({artifactLocation: {uri: 'catalog/apps/paste%2C%20box.json'}, region: {startLine: 3, startColumn: 5, endLine: 3, endColumn: 9}})
  })

  test('names files outside the folder by an address', () => {
    const log = toSarif([{...finding, file: '/tmp/a b.json'}], '1.0.0') as Sarif
    expect(log.runs[0]?.results[0]?.locations[0]?.physicalLocation.artifactLocation.uri).toBe('file:///tmp/a%20b.json')
  })

  test('carries fixes that can be applied', () => {
    const text = JSON.stringify({...exampleApp, min_engine: '1.0.0'})
    const {findings} = lintDefinition(text, {file: 'paste-box.json'})
    const [change] = (toSarif(findings, '1.0.0') as Sarif).runs[0]?.results[0]?.fixes?.[0]?.artifactChanges ?? []
    const [{deletedRegion, insertedContent} = {deletedRegion: {charOffset: 0, charLength: 0}}] = change?.replacements ?? []
    const mended = text.slice(0, deletedRegion.charOffset) + (insertedContent?.text ?? '') + text.slice(deletedRegion.charOffset + deletedRegion.charLength)
    expect(JSON.parse(mended)).toEqual({...exampleApp, minEngine: '1.0.0'})
  })

  test('describes every rule there is', () => {
    const log = toSarif(rules.map(({id}) => ({...finding, rule: id})), '1.0.0') as Sarif
    expect(log.runs[0]?.tool.driver.rules.map(({id}) => id)).toEqual(rules.map(({id}) => id))
  })
})

describe('the report for people', () => {
  const view = {paint: createPaint(false), frames: true, width: 60, infos: true}
  const shown = (text: string, place: Partial<Finding>, more: Partial<typeof view> = {}): string =>
    prettyFile({name: 'paste.json', text, findings: [{...finding, message: 'wrong', line: 1, column: 1, endLine: 1, endColumn: 2, ...place}]}, {...view, ...more})

  test('puts carets under what it is about', () => {
    expect(shown('{\n  "a": "ä漢x"\n}', {line: 2, column: 8, endLine: 2, endColumn: 13})).toBe(
      'paste.json\n    2:8  warning  wrong  image-unpinned\n      2 |   "a": "ä漢x"\n        |        ^^^^^^\n\n',
    )
  })

  test('cuts a long line around what it is about', () => {
    const text = `{"a": "${'x'.repeat(300)}", "b": 5, "c": "${'y'.repeat(300)}"}`
    const column = text.indexOf('5') + 1
    const [, , line = '', carets = ''] = shown(text, {column, endColumn: column + 1}).split('\n')
    expect(line.length).toBeLessThanOrEqual(62)
    expect(line[carets.indexOf('^')]).toBe('5')
    expect(line).toMatch(/\| ….*…$/)
  })

  test('obeys no control character of the file', () => {
    expect(shown('{"a":\t"\u001B[31m"}', {column: 7, endColumn: 12})).not.toContain('\u001B[31m')
    expect(prettyFile({name: 'a\u001B[2J.json', text: '', findings: [finding]}, view)).not.toContain('\u001B')
  })

  test('shows a line without its carriage return, and none that is not there', () => {
    expect(shown('{"a": 5}\r\n', {column: 7, endColumn: 8})).not.toContain('\r')
    expect(shown('', {})).toBe('paste.json\n    1:1  warning  wrong  image-unpinned\n')
    expect(prettyFile({name: 'a.json', text: undefined, findings: [finding]}, view)).toContain('3:5')
  })

  test('says nothing about a file without findings, nor about one with infos where those are not wanted', () => {
    expect(prettyFile({name: 'a.json', text: '{}', findings: []}, view)).toBe('')
    expect(shown('{}', {severity: 'info'}, {infos: false})).toBe('')
  })

  test('paints what is wrong by its weight', () => {
    expect(shown('{}', {severity: 'error'}, {paint: createPaint(true)})).toContain('\u001B[31merror  \u001B[39m')
  })
})
