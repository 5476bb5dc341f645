import {mkdir, readFile, writeFile} from 'node:fs/promises'
import path from 'node:path'
import {describe, expect, test} from 'vitest'
import {inlineArticle, readArticleFile} from '../../../src/cli/article-file.js'
import {definitionPlace, nextSteps, placeSchema, writeNewFile} from '../../../src/cli/definition-place.js'
import {temporaryFolder} from '../../daemon/start-test-daemon.js'

const root = process.cwd()

describe('the place of a definition', () => {
  test.each([
    ['apps/shop.json', {id: 'shop', catalogFolder: '.', schemaFile: 'app.schema.json', schemaReference: '../app.schema.json'}],
    ['catalog/apps/shop.json', {id: 'shop', catalogFolder: 'catalog', schemaFile: 'catalog/app.schema.json', schemaReference: '../app.schema.json'}],
    ['shop.json', {id: 'shop', catalogFolder: '.', schemaFile: 'app.schema.json', schemaReference: './app.schema.json'}],
    ['my/shop.json', {id: 'shop', catalogFolder: 'my', schemaFile: 'my/app.schema.json', schemaReference: './app.schema.json'}],
  ])('%s', (file, expected) => {
    expect(definitionPlace(file)).toEqual({file, ...expected})
  })

  test('has a name that ends in .json', () => {
    expect(() => definitionPlace('shop.yml')).toThrow('.json')
  })

  test('gets the schema once', async () => {
    const place = definitionPlace(path.join(await temporaryFolder(), 'apps', 'shop.json'))
    expect(await placeSchema(place, root)).toBe(true)
    await writeFile(place.schemaFile, 'mine')
    expect(await placeSchema(place, root)).toBe(false)
    expect(await readFile(place.schemaFile, 'utf8')).toBe('mine')
  })

  test('is quoted where a shell would break it up', () => {
    const lines = (file: string) => nextSteps(definitionPlace(file), {bin: 'moorage', hasSchema: false}).join('\n')
    expect(lines("my apps/it's.json")).toContain(`moorage apps validate 'my apps/it'\\''s.json'`)
    expect(lines('apps/shop.json')).not.toContain('schema')
  })
})

describe('a new file', () => {
  test('is made with its folders, and never over another one unless forced', async () => {
    const file = path.join(await temporaryFolder(), 'a', 'b', 'c.json')
    await writeNewFile(file, 'one', false)
    await expect(writeNewFile(file, 'two', false)).rejects.toMatchObject({code: 'CONFLICT', message: expect.stringContaining('--force')})
    expect(await readFile(file, 'utf8')).toBe('one')
    await writeNewFile(file, 'two', true)
    expect(await readFile(file, 'utf8')).toBe('two')
  })

  test('that can not be written says so', async () => {
    const home = await temporaryFolder()
    await writeFile(path.join(home, 'file'), '')
    await expect(writeNewFile(path.join(home, 'file', 'x.json'), '', false)).rejects.toMatchObject({code: 'USAGE', message: expect.stringContaining('can not write')})
    await expect(writeNewFile(home, '', true)).rejects.toMatchObject({code: 'USAGE'})
  })
})

describe('the article of a definition', () => {
  async function place() {
    const home = await temporaryFolder()
    for (const folder of ['articles', 'apps/articles']) await mkdir(path.join(home, folder), {recursive: true})
    await writeFile(path.join(home, 'articles', 'above.md'), 'above')
    await writeFile(path.join(home, 'apps', 'articles', 'beside.md'), 'beside')
    return {home, file: path.join(home, 'apps', 'shop.json')}
  }

  test('lies beside it or beside its folder', async () => {
    const {file} = await place()
    expect(await readArticleFile(file, 'articles/above.md')).toBe('above')
    expect(await readArticleFile(file, 'articles/beside.md')).toBe('beside')
    expect(await readArticleFile(file, 'articles/none.md')).toBeUndefined()
  })

  test.each(['../secret.md', '/etc/passwd', 'articles/../../x.md', 'articles/x.txt'])('is never read from %s', async (articleFile) => {
    expect(await readArticleFile((await place()).file, articleFile)).toBeUndefined()
  })

  test('takes the place of its name, and nothing else changes', async () => {
    const {file} = await place()
    const features = [{title: 'Fast'}]
    expect(await inlineArticle({id: 'shop', marketplace: {features, articleFile: 'articles/above.md'}}, file)).toEqual({id: 'shop', marketplace: {features, article: 'above'}})
  })

  test.each([[null], ['text'], [[]], [{}], [{marketplace: 1}], [{marketplace: {articleFile: 1}}], [{marketplace: {articleFile: 'articles/none.md'}}], [{marketplace: {article: 'x', articleFile: 'articles/above.md'}}]])('leaves %j as it is', async (definition) => {
    expect(await inlineArticle(definition, (await place()).file)).toEqual(definition)
  })
})
