import fc from 'fast-check'
import {describe, expect, test} from 'vitest'
import {parse} from 'yaml'
import type {ComposeProject} from '../../../src/compose/compose-model.js'
import {readCompose} from '../../../src/compose/read-compose.js'
import {writeCompose} from '../../../src/compose/write-compose.js'
import {toYaml} from '../../../src/compose/yaml-out.js'
import {anyProject, anyText, asWritten, releaseOf} from './arbitrary-release.js'
import {ourShape, realShape} from './as-real.js'
import {hasRealCompose, pyYaml, realConfigs} from './real-compose.js'

/** Reads a file of ours. Its own labels are refused in files of users, so they get names that are not. */
async function readOwn(text: string): Promise<ComposeProject | string> {
  const result = await readCompose({path: 'compose.yml', text: text.replaceAll('"moorage.', '"own.').replaceAll(/^(\s+)moorage\./gm, '$1own.'), variables: {}, profiles: [], readText: async () => undefined})
  return result.project ?? JSON.stringify(result.problems)
}

function withOwn(project: ComposeProject): unknown {
  return JSON.parse(JSON.stringify(project).replaceAll('"moorage.', '"own.'))
}

describe('a file that we write', () => {
  test('says what the model says, whatever its texts', async () => {
    await fc.assert(
      fc.asyncProperty(anyProject, async (project) => {
        const release = releaseOf(project)
        expect(await readOwn(writeCompose(release))).toEqual(withOwn(asWritten(release)))
      }),
      {numRuns: 150},
    )
  })

  test('has the same bytes whatever the order of services and keys', () => {
    fc.assert(
      fc.property(anyProject, (project) => {
        const turned = (record: object) => Object.fromEntries(Object.entries(record).reverse())
        const other = {
          ...project,
          services: project.services.toReversed().map((service) => ({...service, environment: turned(service.environment), labels: turned(service.labels), others: turned(service.others), dependsOn: service.dependsOn.toReversed()})),
          volumes: project.volumes.toReversed(),
        }
        expect(writeCompose(releaseOf(other))).toBe(writeCompose(releaseOf(project)))
      }),
    )
  })

  test('changes nothing outside of the block of a service that changed', () => {
    fc.assert(
      fc.property(anyProject, fc.nat(), anyText, (project, at, text) => {
        const index = at % project.services.length
        const changed = {...project, services: project.services.map((service, place) => (place === index ? {...service, command: [text, 'changed']} : service))}
        const [before, after] = [blocksOf(writeCompose(releaseOf(project))), blocksOf(writeCompose(releaseOf(changed)))]
        const differing = [...before.keys()].filter((name) => before.get(name) !== after.get(name))
        expect(differing).toEqual(differing.length === 0 ? [] : [project.services[index]?.name])
      }),
    )
  })
})

function blocksOf(text: string): Map<string, string> {
  return new Map(text.split(/^(?= {2}\S)|^(?=\S)/m).map((block) => [/^\s*"?([^":\s]*)/.exec(block)?.[1] ?? '', block]))
}

// So that a difference between two kinds of space can be seen.
function ascii(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value).replace(/[^\x21-\x7e]/gu, (character) => (character === ' ' ? ' ' : `U+${character.codePointAt(0)?.toString(16) ?? ''}`)))
}

// 1.29 reads this line end well but prints it as a space.
function withoutNextLine(project: ComposeProject): ComposeProject {
  return JSON.parse(JSON.stringify(project).replaceAll('\u0085', 'x')) as ComposeProject
}

describe('our YAML', () => {
  test('gives every text back', () => {
    fc.assert(
      fc.property(fc.dictionary(anyText.filter((text) => text.length < 200 && text !== '__proto__'), fc.array(anyText, {maxLength: 3})), (data) => {
        expect(parse(toYaml(data), {version: '1.2'})).toEqual(data)
        expect(parse(toYaml({...data, '<<': ['x']}), {version: '1.1', merge: false})).toEqual({...data, '<<': ['x']})
      }),
      {numRuns: 500},
    )
  })
})

describe.runIf(hasRealCompose())('beside docker-compose 1.29', () => {
  test('its YAML reads every text of ours', () => {
    const samples = fc.sample(fc.dictionary(anyText.filter((text) => text.length < 200 && text !== '__proto__'), fc.array(anyText, {maxLength: 3})), 500)
    expect(pyYaml(samples.map((data) => toYaml(data)))).toEqual(samples)
  })

  test('a file that we write means the same to it', async () => {
    const releases = fc.sample(anyProject, 60).map((project) => releaseOf(withoutNextLine(project)))
    const configs = await realConfigs(releases.map((release) => ({files: {'compose.yml': writeCompose(release)}, variables: {HOME: '/wrong', X: 'wrong'}})))
    for (const [index, release] of releases.entries()) {
      const config = configs[index]
      if (config === undefined || typeof config === 'string') throw new Error(`refused: ${config ?? ''}\n${writeCompose(release)}`)
      expect(ascii(realShape(config, []))).toEqual(ascii(ourShape(asWritten(release))))
    }
  }, 120_000)
})
