import {describe, expect, test} from 'vitest'
import {completeExample, exampleApp, showExample} from '../../../../src/catalog/lint/examples.js'
import {severities, type Finding} from '../../../../src/catalog/lint/finding.js'
import {lintDefinition} from '../../../../src/catalog/lint/lint-definition.js'
import {lintSet} from '../../../../src/catalog/lint/lint-set.js'
import type {Example} from '../../../../src/catalog/lint/rule.js'
import {findRule, rules} from '../../../../src/catalog/lint/rules.js'

function lintExample(example: Example): readonly Finding[] {
  const files = completeExample(example).map((text, index) => {
    const file = `${index}.json`
    return {file, result: lintDefinition(text, {file, fileName: example.fileName, engine: '1.0.0', hasArticle: () => example.fileName === undefined})}
  })
  return lintSet(files).flat()
}

describe.each(rules.map((rule) => [rule.id, rule] as const))('%s', (id, rule) => {
  test('is found in its bad example, and nothing else is', () => {
    if (Object.keys(rule.bad).length === 0) return expect(['json-encoding', 'json-size', 'file-unreadable', 'more-findings']).toContain(id)
    const found = lintExample(rule.bad)
    const others = found.filter((finding) => finding.rule !== id && rule.alsoRaises?.includes(finding.rule) !== true)
    expect(found.map((finding) => finding.rule)).toContain(id)
    expect(others).toEqual([])
    for (const finding of found.filter((one) => one.rule === id)) expect(finding.severity).toBe(rule.severity)
  })

  test('says nothing about its good example', () => {
    expect(lintExample(rule.good)).toEqual([])
  })

  test('is explained: meaning in a line, why, and examples to show', () => {
    expect(id).toMatch(/^[a-z]+(?:-[a-z0-9]+)*$/)
    expect(severities).toContain(rule.severity)
    expect(rule.meaning).toMatch(/^(?:[a-z{][^\n]*[^.\n])$/)
    expect(rule.why).toMatch(/\.$/)
    expect(showExample(rule.good)).not.toBe('')
    for (const other of rule.alsoRaises ?? []) expect(findRule(other)).toBeDefined()
  })
})

test('no two rules have one id, and each is found by it', () => {
  expect(new Set(rules.map(({id}) => id)).size).toBe(rules.length)
  for (const rule of rules) expect(findRule(rule.id)).toBe(rule)
  expect(findRule('no-such-rule')).toBeUndefined()
})

test('there is nothing to say about the definition that examples are made of', () => {
  expect(lintDefinition(JSON.stringify(exampleApp), {fileName: 'paste-box.json', engine: '1.0.0', hasArticle: () => false}).findings).toEqual([])
})
