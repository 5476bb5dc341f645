import {existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs'
import {dirname} from 'node:path'
import {toOpenApi} from '../daemon/http/openapi.js'
import {version} from '../src/config/version.js'
import {contract} from '../src/contract/index.js'
import {renderAppFormat} from './app-format-page.js'
import {appSchema, renderAppSchema} from './app-schema.js'
import {renderApiPages} from './api-pages.js'
import {renderCatalog} from './catalog-manifest.js'
import {Manifest, renderCliPages} from './cli-pages.js'
import {renderErrorPage} from './error-page.js'
import {renderRouteTable} from './route-table.js'

/** Folders in which every file is made here, so one that is made no longer is deleted. */
const ownedFolders = ['docs/api', 'docs/cli']

const catalogFile = 'catalog/catalog.json'

/** Every file of the repository that is made from the contract, the manifest or the catalog's files, by path. */
export function generatedFiles(): Map<string, string> {
  const document = toOpenApi(contract, {version})
  const files = new Map([
    ['docs/errors.md', renderErrorPage()],
    ['catalog/app.schema.json', renderAppSchema()],
    ['docs/app-format.md', renderAppFormat(appSchema())],
    ['src/client/route-table.ts', renderRouteTable(contract)],
    [catalogFile, renderCatalog('catalog/apps', existsSync(catalogFile) ? readFileSync(catalogFile, 'utf8') : undefined)],
    ['docs/api/openapi.json', `${JSON.stringify(document, null, 1)}\n`],
  ])
  for (const [name, text] of renderApiPages(contract, document)) files.set(`docs/api/${name}`, text)
  for (const [name, text] of cliPages()) files.set(`docs/cli/${name}`, text)
  return files
}

function cliPages(): Map<string, string> {
  if (!existsSync('oclif.manifest.json')) return new Map()
  return renderCliPages(Manifest.parse(JSON.parse(readFileSync('oclif.manifest.json', 'utf8'))))
}

function leftOver(files: ReadonlyMap<string, string>): string[] {
  const present = ownedFolders.filter((folder) => existsSync(folder)).flatMap((folder) => readdirSync(folder).map((name) => `${folder}/${name}`))
  return present.filter((path) => !files.has(path))
}

/** Writes the files, or with --check says which differ from what is there. */
export function main(args: readonly string[]): void {
  const files = generatedFiles()
  const different = [...files].filter(([path, text]) => !existsSync(path) || readFileSync(path, 'utf8') !== text).map(([path]) => path)
  const stale = leftOver(files)
  if (args.includes('--check')) {
    for (const path of [...different, ...stale]) console.error(`${path} is not what npm run generate makes`)
    if (different.length + stale.length > 0) process.exitCode = 1
    return
  }
  for (const path of different) {
    mkdirSync(dirname(path), {recursive: true})
    writeFileSync(path, files.get(path) ?? '')
  }
  for (const path of stale) rmSync(path)
  console.log(`${files.size} files, ${different.length} written, ${stale.length} deleted`)
}
