import {beforeAll, describe, expect, test} from 'vitest'
import {writeCompose} from '../../../src/compose/write-compose.js'
import {asWritten, releaseOf} from './arbitrary-release.js'
import {ourShape, realShape} from './as-real.js'
import {refusedCases, sameCases, type ComposeCase} from './cases.js'
import {read, told} from './read.js'
import {hasRealCompose, realConfigs, type RealConfig} from './real-compose.js'

const filesOf = ({files}: ComposeCase) => (typeof files === 'string' ? {'compose.yml': files} : files)

async function ours(one: ComposeCase) {
  const {'compose.yml': text = '', ...files} = filesOf(one)
  return read(text, {files, variables: one.variables ?? {}, profiles: one.profiles ?? [], overrides: (one.names ?? []).slice(1)})
}

describe.runIf(hasRealCompose())('beside docker-compose 1.29', () => {
  const real = new Map<string, RealConfig | string>()

  beforeAll(async () => {
    const cases = [...sameCases, ...refusedCases]
    const configs = await realConfigs(cases.map((one) => ({...one, files: filesOf(one)})))
    for (const [index, {name}] of cases.entries()) real.set(name, configs[index] ?? '')
  }, 120_000)

  test('the table has more than sixty files, each under its own name', () => {
    expect(sameCases.length).toBeGreaterThan(60)
    expect(new Set([...sameCases, ...refusedCases].map(({name}) => name)).size).toBe(sameCases.length + refusedCases.length)
  })

  test.each(sameCases)('reads $name alike', async (one) => {
    const config = real.get(one.name)
    if (typeof config === 'string' || config === undefined) throw new Error(config)
    const result = await ours(one)
    expect(result.project === null ? told(result) : ourShape(result.project)).toEqual(realShape(config, one.profiles ?? []))
  })

  test('takes what we write of them, and it means the same', async () => {
    const projects = await Promise.all(sameCases.map(async (one) => (await ours(one)).project))
    const releases = projects.flatMap((project) => (project === null ? [] : [releaseOf({...project, services: project.services.map((service) => ({...service, image: service.image ?? 'built:1', build: null}))})]))
    expect(releases).toHaveLength(sameCases.length)
    const configs = await realConfigs(releases.map((release) => ({files: {'compose.yml': writeCompose(release)}})))
    for (const [index, release] of releases.entries()) {
      const config = configs[index]
      if (config === undefined || typeof config === 'string') throw new Error(`${sameCases[index]?.name ?? ''}: ${config ?? ''}`)
      expect({name: sameCases[index]?.name, ...realShape(config, [])}).toEqual({name: sameCases[index]?.name, ...ourShape(asWritten(release))})
    }
  }, 120_000)

  test.each(refusedCases)('refuses $name too', async (one) => {
    expect(typeof real.get(one.name)).toBe('string')
    const result = await ours(one)
    expect(result.project).toBeNull()
    expect(result.problems.filter(({severity}) => severity === 'error').length).toBeGreaterThan(0)
  })
})
