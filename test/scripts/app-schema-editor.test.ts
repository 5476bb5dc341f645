import {readFileSync} from 'node:fs'
import {describe, expect, it} from 'vitest'
import {DiagnosticSeverity, getLanguageService, TextDocument, type CompletionItem} from 'vscode-json-languageservice'
import {fullDefinition} from '../src/catalog/full-definition.js'

// The part of Visual Studio Code and of many other editors that reads JSON Schema.

const folder = 'file:///work/catalog'
const schemaText = readFileSync('catalog/app.schema.json', 'utf8')

const service = getLanguageService({
  schemaRequestService: (uri) => (uri === `${folder}/app.schema.json` ? Promise.resolve(schemaText) : Promise.reject(new Error(`no ${uri}`))),
  workspaceContext: {resolveRelativePath: (relative, resource) => new URL(relative, resource).href},
})
service.configure({validate: true, allowComments: false})

/** A definition as an editor has it open; `|` marks the place of the cursor. */
function open(text: string) {
  const offset = text.indexOf('|')
  const document = TextDocument.create(`${folder}/apps/paste-box.json`, 'json', 1, text.replace('|', ''))
  return {document, parsed: service.parseJSONDocument(document), position: document.positionAt(Math.max(offset, 0))}
}

async function completions(text: string): Promise<CompletionItem[]> {
  const {document, parsed, position} = open(text)
  return (await service.doComplete(document, position, parsed))?.items ?? []
}

const labels = (items: readonly CompletionItem[]) => items.map(({label}) => label)
const head = '{\n  "$schema": "../app.schema.json",\n'

describe('an editor that follows $schema by its relative path', () => {
  it('offers the keys of the top level with what they mean', async () => {
    const items = await completions(`${head}  "|"\n}`)
    expect(labels(items)).toEqual(expect.arrayContaining(['id', 'services', 'configFields', 'connection', 'minEngine']))
    expect(items.find(({label}) => label === 'configFields')?.documentation).toMatchObject(/generated/)
  })

  it('offers image, build and the rest inside a service, once each', async () => {
    const items = labels(await completions(`${head}  "services": [{"name": "web", "|"}]\n}`))
    expect(items).toEqual(expect.arrayContaining(['image', 'build', 'exposedPort', 'healthcheck']))
    expect(new Set(items).size).toBe(items.length)
    expect(items).not.toContain('name')
  })

  it.each([
    ['category', '  "category": |\n}', '"database"'],
    ['restart', '  "services": [{"name": "web", "restart": |}]\n}', '"unless-stopped"'],
    ['generate', '  "configFields": [{"generate": |}]\n}', '"jwt"'],
    ['a boolean', '  "available": |\n}', 'true'],
  ])('offers the values of %s', async (_, rest, value) => {
    expect(labels(await completions(`${head}${rest}`))).toContain(value)
  })

  it('offers an example of a whole service', async () => {
    const items = await completions(`${head}  "services": |\n}`)
    expect(items.some(({insertText}) => insertText?.includes('"image"'))).toBe(true)
  })

  it.each([
    ['minEngine', '  "min|Engine": "1.0.0"\n}', 'the oldest release'],
    ['secretEnv', '  "services": [{"secret|Env": []}]\n}', 'secrets'],
    ['showIf.equals', '  "settings": [{"fields": [{"showIf": {"eq|uals": "x"}}]}]\n}', 'shown while'],
  ])('tells what %s means', async (_, rest, text) => {
    const {document, parsed, position} = open(`${head}${rest}`)
    const hover = await service.doHover(document, position, parsed)
    expect(JSON.stringify(hover?.contents)).toContain(text)
  })

  it('has nothing to say about a sound definition', async () => {
    const {document, parsed} = open(JSON.stringify({...fullDefinition}, null, 2))
    expect(await service.doValidation(document, parsed)).toEqual([])
  })

  it.each([
    ['a wrong value', '"category": "other"', '"category": "games"', /backend/],
    ['a misspelt key', '"configFields"', '"configfields"', /configfields is not allowed/],
    ['a value of the wrong type', '"exposedPort": 8090', '"exposedPort": "8090"', /integer/],
    ['a service with image and build', '{\n      "name": "db",', '{\n      "build": {"dockerfile": "FROM alpine:3.22.0"}, "name": "db",', /schema/],
  ])('names %s on its line', async (_, before, after, message) => {
    const text = JSON.stringify(fullDefinition, null, 2)
    const {document, parsed} = open(text.replace(before, after))
    const problems = await service.doValidation(document, parsed)
    expect(problems).toMatchObject([{severity: DiagnosticSeverity.Warning, message: expect.stringMatching(message)}])
    expect(problems[0]?.range.start.line).toBe(text.slice(0, text.indexOf(before)).split('\n').length - 1)
  })
})
