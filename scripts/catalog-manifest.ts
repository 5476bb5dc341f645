import {existsSync, readdirSync, readFileSync} from 'node:fs'
import {basename} from 'node:path'

/** Every definition of a folder in one manifest, an app a line. Apps that stand in the present one keep their order; new ones follow by id. */
export function renderCatalog(folder: string, present: string | undefined): string {
  const apps = new Map(definitionFiles(folder).map((name) => [name.slice(0, -'.json'.length), readDefinitionFile(`${folder}/${name}`)]))
  const known = idsOf(present).filter((id) => apps.has(id))
  const ids = [...known, ...[...apps.keys()].filter((id) => !known.includes(id))]
  return `{"version": 1, "apps": [${ids.map((id) => `\n${JSON.stringify(apps.get(id))}`).join(',')}\n]}\n`
}

function definitionFiles(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder).filter((name) => name.endsWith('.json')).sort()
}

function readDefinitionFile(file: string): {readonly id: string} {
  const value: unknown = parse(file, readFileSync(file, 'utf8'))
  if (!hasId(value) || `${value.id}.json` !== basename(file)) throw new Error(`${file}: the id differs from the name of the file`)
  // The hint for editors names a neighbour of the file.
  const {$schema: _, ...rest} = value
  return rest
}

function parse(file: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Error(`${file} is not JSON`, {cause: error})
  }
}

function idsOf(manifest: string | undefined): string[] {
  const value: unknown = manifest === undefined ? undefined : JSON.parse(manifest)
  const apps = typeof value === 'object' && value !== null && 'apps' in value && Array.isArray(value.apps) ? value.apps : []
  return apps.filter(hasId).map(({id}) => id)
}

function hasId(value: unknown): value is {readonly id: string; readonly $schema?: unknown} {
  return typeof value === 'object' && value !== null && 'id' in value && typeof value.id === 'string'
}
