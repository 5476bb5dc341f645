import {existsSync, readdirSync, readFileSync} from 'node:fs'

const folder = 'catalog/apps'

/** Every definition of the catalog in one manifest, an app a line. Apps that stand in it keep their order; new ones follow by id. */
export function renderCatalog(present: string | undefined): string {
  const apps = new Map(definitionFiles().map((name) => [name.slice(0, -'.json'.length), readDefinitionFile(name)]))
  const known = idsOf(present).filter((id) => apps.has(id))
  const ids = [...known, ...[...apps.keys()].filter((id) => !known.includes(id))]
  return `{"version": 1, "apps": [${ids.map((id) => `\n${JSON.stringify(apps.get(id))}`).join(',')}\n]}\n`
}

function definitionFiles(): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder).filter((name) => name.endsWith('.json')).sort()
}

function readDefinitionFile(name: string): {readonly id: string} {
  const value: unknown = JSON.parse(readFileSync(`${folder}/${name}`, 'utf8'))
  if (!hasId(value) || `${value.id}.json` !== name) throw new Error(`${folder}/${name}: the id differs from the name of the file`)
  return value
}

function idsOf(manifest: string | undefined): string[] {
  const value: unknown = manifest === undefined ? undefined : JSON.parse(manifest)
  const apps = typeof value === 'object' && value !== null && 'apps' in value && Array.isArray(value.apps) ? value.apps : []
  return apps.filter(hasId).map(({id}) => id)
}

function hasId(value: unknown): value is {readonly id: string} {
  return typeof value === 'object' && value !== null && 'id' in value && typeof value.id === 'string'
}
