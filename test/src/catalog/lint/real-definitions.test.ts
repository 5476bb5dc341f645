import path from 'node:path'
import {describe, expect, test} from 'vitest'
import {catalogFiles, sampleFiles, type DefinitionFile} from '../../../catalog/sample-definitions.js'
import {existsSync} from 'node:fs'
import {lintDefinition} from '../../../../src/catalog/lint/lint-definition.js'
import type {Finding} from '../../../../src/catalog/lint/finding.js'

function lintFile({file, text}: DefinitionFile): readonly Finding[] {
  const folder = path.dirname(file)
  const hasArticle = (article: string): boolean => existsSync(path.join(folder, article)) || existsSync(path.join(folder, '..', article))
  return lintDefinition(text, {file, fileName: path.basename(file), engine: '1.0.0', hasArticle}).findings
}

const samples = sampleFiles()

describe('definitions that others wrote', () => {
  test.each(samples.map((sample) => [sample.name, sample] as const))('%s has no error', (_, sample) => {
    expect(lintFile(sample).filter(({severity}) => severity === 'error')).toEqual([])
  })

  test('get exactly what is to be said about them', () => {
    if (samples.length === 0) return
    const counts: Record<string, number> = {}
    for (const {rule} of samples.flatMap(lintFile)) counts[rule] = (counts[rule] ?? 0) + 1
    expect(counts).toEqual({
      'image-unpinned': 7, 'image-major-only': 2, 'secret-not-listed': 1, 'config-human-input': 2, 'endpoint-port-unserved': 1, 'template-output-no-service': 2,
      'provides-category': 1, 'persist-not-secret': 1, 'prepare-reruns': 1,
    })
  })
})

test.each(catalogFiles().map((file) => [file.name, file] as const))('%s has neither errors nor warnings', (_, file) => {
  expect(lintFile(file).filter(({severity}) => severity !== 'info')).toEqual([])
})
