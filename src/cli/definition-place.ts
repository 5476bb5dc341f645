import {existsSync} from 'node:fs'
import {mkdir, readFile, writeFile} from 'node:fs/promises'
import path from 'node:path'
import {quoteWord} from '../catalog/compose-import/quote-word.js'
import {Fault} from '../contract/faults.js'

/** Where a definition lies, and what lies around it: `apps/<id>.json` beside `articles/` and the schema, or all in one folder. */
export interface DefinitionPlace {
  readonly file: string
  /** What the file name says the id is. */
  readonly id: string
  /** The folder that articles and schema lie in. */
  readonly catalogFolder: string
  readonly schemaFile: string
  /** The schema as the definition refers to it. */
  readonly schemaReference: string
}

export function definitionPlace(file: string): DefinitionPlace {
  if (!file.endsWith('.json')) throw new Fault('USAGE', `a definition is a file whose name ends in .json, not ${JSON.stringify(file)}`)
  const folder = path.dirname(file)
  const isInApps = path.basename(path.resolve(folder)) === 'apps'
  const catalogFolder = isInApps ? path.join(folder, '..') : folder
  return {
    file, id: path.basename(file, '.json'), catalogFolder, schemaFile: path.join(catalogFolder, 'app.schema.json'), schemaReference: isInApps ? '../app.schema.json' : './app.schema.json',
  }
}

/** Writes a file that was not there before; with force also one that was. */
export async function writeNewFile(file: string, text: string, force: boolean): Promise<void> {
  const unwritable = (error: unknown) => new Fault('USAGE', `can not write ${file}`, {details: {file}, cause: error})
  await mkdir(path.dirname(file), {recursive: true}).catch((error: unknown) => {
    throw unwritable(error)
  })
  await writeFile(file, text, {flag: force ? 'w' : 'wx'}).catch((error: unknown) => {
    const isThere = error instanceof Error && 'code' in error && error.code === 'EEXIST'
    throw isThere ? new Fault('CONFLICT', `${file} is there already; --force replaces it`, {details: {file}}) : unwritable(error)
  })
}

/** Puts the schema beside the definition where there is none yet; answers whether it did. */
export async function placeSchema({schemaFile}: DefinitionPlace, packageRoot: string): Promise<boolean> {
  if (existsSync(schemaFile)) return false
  await writeNewFile(schemaFile, await readSchema(packageRoot), false)
  return true
}

/** The schema of this release, as text. */
export function readSchema(packageRoot: string): Promise<string> {
  return readFile(path.join(packageRoot, 'catalog', 'app.schema.json'), 'utf8')
}

/** A definition as it is written to a file. */
export function definitionText(definition: object): string {
  return `${JSON.stringify(definition, null, 2)}\n`
}

export interface NextSteps {
  readonly bin: string
  /** The schema was put there just now. */
  readonly hasSchema: boolean
}

/** What an author types next, in order. */
export function nextSteps({file, schemaFile}: DefinitionPlace, {bin, hasSchema}: NextSteps): string[] {
  const path = quoteWord(file)
  return [
    ...(hasSchema ? [`${schemaFile} is there for your editor; it says what each key means`] : []),
    '',
    'next:',
    `  ${bin} apps validate ${path} --strict --watch   # say what is wrong while you write`,
    `  ${bin} apps render ${path}                      # what a deployment makes of it`,
    `  ${bin} apps show ${path}                        # what people see`,
    `  ${bin} apps upload ${path}                      # into the catalog of your organization`,
  ]
}
