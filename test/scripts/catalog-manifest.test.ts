import {mkdtemp, readFile, rm, writeFile} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {fileURLToPath} from 'node:url'
import {expect, it, onTestFinished} from 'vitest'
import {renderCatalog} from '../../scripts/catalog-manifest.js'

async function folderWith(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'moorage-apps-'))
  onTestFinished(() => rm(folder, {recursive: true, force: true}))
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
  return folder
}

const appFile = (id: string) => JSON.stringify({$schema: '../app.schema.json', id, name: id}, null, 2)
const idsOf = (manifest: string) => JSON.parse(manifest).apps.map(({id}: {id: string}) => id)

it('keeps the order of what stands in the manifest, follows with new apps by id, and drops what is gone', async () => {
  const folder = await folderWith({'b.json': appFile('b'), 'a.json': appFile('a'), 'd.json': appFile('d'), 'c.json': appFile('c'), 'README.md': ''})
  const present = JSON.stringify({version: 1, apps: [{id: 'd'}, {id: 'gone'}, {id: 'b'}]})
  const made = renderCatalog(folder, present)
  expect(idsOf(made)).toEqual(['d', 'b', 'a', 'c'])
  expect(renderCatalog(folder, made)).toBe(made)
  expect(made.split('\n')).toHaveLength(7)
  expect(JSON.parse(made)).toMatchObject({version: 1, apps: [{id: 'd', name: 'd'}, {}, {}, {}]})
  expect(made).not.toContain('$schema')
})

it('stands in the tree as its definitions make it', async () => {
  const folder = fileURLToPath(new URL('../../catalog', import.meta.url))
  const present = await readFile(join(folder, 'catalog.json'), 'utf8')
  expect(renderCatalog(join(folder, 'apps'), present) === present, 'npm run generate').toBe(true)
})

it('is empty where there are no definitions', async () => {
  for (const folder of [await folderWith({}), '/nowhere/at/all']) expect(JSON.parse(renderCatalog(folder, undefined))).toEqual({version: 1, apps: []})
})

it.each([
  [{'a.json': appFile('b')}, /a\.json: the id differs from the name of the file/], [{'a.json': '[]'}, /a\.json: the id differs/], [{'a.json': '{'}, /a\.json is not JSON/],
])('names the file that %j is wrong with', async (files, message) => {
  const folder = await folderWith(files)
  expect(() => renderCatalog(folder, undefined)).toThrow(message)
})
