import {existsSync, readdirSync} from 'node:fs'
import path from 'node:path'
import {fileURLToPath} from 'node:url'
import * as icons from 'simple-icons'
import {describe, expect, it} from 'vitest'
import {AppDefinition, categories} from '../../src/catalog/definition.js'
import {lintDefinition} from '../../src/catalog/lint/lint-definition.js'
import {planRender, type RenderPlan} from '../../src/cli/plan-render.js'
import {countingBytes, nowMs} from '../src/catalog/app-fixture.js'
import {catalogFiles, parseDefinitionFile, type DefinitionFile} from './sample-definitions.js'
import {findUnused} from './used-parts.js'

const folder = fileURLToPath(new URL('../../catalog', import.meta.url))
const files = catalogFiles()
const apps = files.map(parseDefinitionFile)
const slugs = new Set(Object.values(icons).flatMap((icon) => ('slug' in icon ? [icon.slug] : [])))

describe('the catalog', () => {
  it('has what people look for on each shelf', () => {
    expect(apps.length).toBeGreaterThanOrEqual(36)
    expect(new Set(apps.map(({category}) => category))).toEqual(new Set(categories))
  })

  it('uses every key of the format, and every form of each', () => {
    expect(findUnused(AppDefinition, files.map(({text}) => JSON.parse(text) as unknown))).toEqual([])
  })

  it('has an article for each name of one, and none besides', () => {
    const named = apps.flatMap(({marketplace}) => marketplace?.articleFile ?? [])
    expect(readdirSync(path.join(folder, 'articles')).map((name) => `articles/${name}`).toSorted()).toEqual(named.toSorted())
  })

  it('builds some services itself, and speaks more than one language', () => {
    expect(apps.filter(({services = []}) => services.some(({build}) => build !== undefined)).length).toBeGreaterThanOrEqual(2)
    expect(apps.filter((app) => isLocalized(app)).length).toBeGreaterThanOrEqual(3)
  })
})

describe.each(files.map((file) => [file.name, file] as const))('%s', (_, file) => {
  const app = parseDefinitionFile(file)

  it('has nothing that a strict check would stop at', () => {
    const hasArticle = (articleFile: string) => existsSync(path.join(folder, articleFile))
    const {findings} = lintDefinition(file.text, {fileName: path.basename(file.file), engine: '1.0.0', hasArticle})
    expect(findings.filter(({severity}) => severity !== 'info')).toEqual([])
  })

  it('has an icon that is there, an article and an idea of what it needs', () => {
    expect(slugs).toContain(app.logo)
    expect(app.marketplace?.article ?? app.marketplace?.articleFile).toBeDefined()
    if (app.available === true && app.kind === 'template') expect(app.minResources).toEqual({memoryMb: expect.any(Number), cpuCores: expect.any(Number)})
  })

  it('is rendered with all of its placeholders, and shows no secret', () => {
    const {whole, masked, variables} = render(file)
    expect(whole.warnings.filter(({rule}) => !expectedRules.has(rule))).toEqual([])
    expect(JSON.stringify([whole.services.map(({environment, build}) => [environment, build?.files]), whole.files])).not.toMatch(/\{\{\s*(?:config|publicUrl):/)
    const shown = JSON.stringify(masked)
    const secrets = [...variables].filter(([, value]) => value.length >= 64)
    expect(secrets.length > 0).toBe((app.configFields ?? []).some(({generate, secret}) => generate !== undefined && secret === true))
    expect(secrets.filter(([, value]) => shown.includes(value)).map(([name]) => name)).toEqual([])
    const captured = new Set((app.prepare ?? []).flatMap(({persistAs}) => (persistAs === undefined ? [] : [persistAs.key])))
    const unresolved = (whole.connection?.outputs ?? []).filter(({value}) => value === '').map(({id}) => id)
    const needsCapture = (app.connection?.outputs ?? []).filter(({source}) => [...captured].some((key) => source.includes(`:${key}`))).map(({id}) => id)
    expect(unresolved.filter((id) => !needsCapture.includes(id))).toEqual([])
  })
})

// What only the project that it is installed into can give, and what a card of the future is for.
const expectedRules: ReadonlySet<string> = new Set(['connection-needed', 'not-installable'])

/** As somebody installs it who gives every service an address and every question an answer. */
function render(file: DefinitionFile): RenderPlan {
  const definition = parseDefinitionFile(file)
  const asked = (definition.configFields ?? []).filter(({generate, default: preset = ''}) => generate === undefined && preset === '')
  return planRender({
    definition, name: definition.name, host: 'box.example.com', locale: 'en', variables: new Map(), random: countingBytes(), nowMs,
    given: {config: Object.fromEntries(asked.map(({key}) => [key, 'given'])), stored: [], settings: []},
    urls: (definition.services ?? []).filter(({exposed}) => exposed === true).map(({name}) => ({service: name, port: null, url: `https://${name}.example.com`})),
  })
}

function isLocalized(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const keys = Object.keys(value)
  return (keys.includes('en') && keys.length > 1 && keys.every((key) => /^[a-z]{2}(?:-[A-Z]{2})?$/.test(key))) || Object.values(value).some(isLocalized)
}
