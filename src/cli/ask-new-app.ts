import {categories, type Category} from '../catalog/definition.js'
import {readImage, unpinned} from '../catalog/lint/image-rules.js'
import {titleOf, toAppId} from '../catalog/name-texts.js'
import {databaseKinds, databases, type DatabaseKind} from '../catalog/new-app-databases.js'
import type {NewApp} from '../catalog/new-app.js'
import {Fault} from '../contract/faults.js'
import {asker, type Asking} from './ask-again.js'

export interface NewAppFlags {
  readonly id?: string | undefined
  readonly name?: string | undefined
  readonly description?: string | undefined
  readonly category?: Category | undefined
  readonly logo?: string | undefined
  readonly image?: string | undefined
  readonly build: boolean
  readonly port?: number | undefined
  readonly 'data-path'?: string | undefined
  readonly database?: DatabaseKind | undefined
  readonly secret?: readonly string[] | undefined
}

export interface AskContext extends Asking {
  /** What the file name says the id is. */
  readonly fileId: string | undefined
  /** Called once the id is known, before anything else is asked. */
  readonly checkId: (id: string) => void
}

/** What is to be written, from flags and, on a terminal, from answers. Elsewhere all that is missing is told at once. */
export async function askNewApp(flags: NewAppFlags, context: AskContext): Promise<NewApp> {
  requireFlags(flags, context)
  const ask = asker(context)
  const {fileId} = context
  const name = await ask({text: 'Name of the app', flag: '--name', given: flags.name, preset: fileId === undefined ? undefined : titleOf(fileId), parse: parseText})
  const id = await ask({text: 'Id', flag: '--id', given: flags.id ?? fileId ?? (context.prompts.canAsk ? undefined : toAppId(name)), preset: toAppId(name), parse: parseId})
  context.checkId(id)
  const category = await ask({text: `Category: ${categories.join(', ')}`, flag: '--category', given: flags.category, preset: 'other', parse: oneOf(categories)})
  const description = await ask({text: 'One line about it', flag: '--description', given: flags.description, parse: parseText})
  const image = await ask({text: 'Image with its version, or nothing to build one here', flag: '--image', given: flags.build ? '' : flags.image, preset: '', parse: parseImage})
  const port = await ask({text: 'Port that it listens on', flag: '--port', given: flags.port?.toString(), preset: image === undefined ? '80' : '8080', parse: parsePortNumber})
  const dataPath = await ask({text: 'Folder in the container that holds its data, or nothing', flag: '--data-path', given: flags['data-path'], preset: '', parse: parseDataPath})
  const database = await ask({text: `Database: ${databaseKinds.join(', ')}`, flag: '--database', given: flags.database, preset: 'none', parse: oneOf(databaseKinds)})
  const secrets = await ask({text: 'Environment keys of secrets to generate, with commas between them, or nothing', flag: '--secret', given: flags.secret?.join(','), preset: '', parse: (answer) => parseKeys(answer, database)})
  return {id, name, description, category, logo: flags.logo ?? 'docker', image, port, dataPath, database, secrets}
}

function requireFlags({name, description, image, build}: NewAppFlags, {prompts, fileId}: AskContext): void {
  if (prompts.canAsk) return
  const missing = [
    ...(name === undefined && fileId === undefined ? ['--name'] : []), ...(description === undefined ? ['--description'] : []), ...(image === undefined && !build ? ['--image or --build'] : []),
  ]
  if (missing.length > 0) throw new Fault('USAGE', `nobody can be asked here: give ${missing.join(', ')}`, {details: {flags: missing}})
}

function parseText(answer: string): string {
  const text = answer.trim()
  if (text === '') throw new Fault('USAGE', 'it can not be empty')
  return text
}

function parseId(answer: string): string {
  const id = toAppId(answer)
  if (id === answer) return id
  throw new Fault('USAGE', `an id is lower-case letters and digits, joined by single hyphens${id === undefined ? '' : `, such as ${id}`}`)
}

function oneOf<T extends string>(values: readonly T[]): (answer: string) => T {
  return (answer) => {
    const found = values.find((value) => value === answer.toLowerCase())
    if (found === undefined) throw new Fault('USAGE', `${JSON.stringify(answer)} is none of ${values.join(', ')}`)
    return found
  }
}

function parseImage(answer: string): string | undefined {
  if (answer === '') return undefined
  const problem = readImage(answer) === undefined ? `${answer} is no image reference; write one such as ghcr.io/example/paste:1.4.2` : unpinned(answer)
  if (problem !== undefined) throw new Fault('USAGE', problem)
  return answer
}

function parsePortNumber(answer: string): number {
  const port = Number(answer)
  if (!/^\d{1,5}$/.test(answer) || port < 1 || port > 65_535) throw new Fault('USAGE', `a port is a number from 1 to 65535, not ${JSON.stringify(answer)}`)
  return port
}

function parseDataPath(answer: string): string | undefined {
  if (answer === '') return undefined
  if (!/^\/(?!.*\.\.)[^:\s]+$/.test(answer)) throw new Fault('USAGE', `it is an absolute path such as /data, not ${JSON.stringify(answer)}`)
  return answer.replace(/\/+$/, '')
}

function parseKeys(answer: string, database: DatabaseKind): string[] {
  const keys = answer.split(',').map((key) => key.trim()).filter((key) => key !== '')
  const wrong = keys.find((key) => !/^[A-Za-z_][A-Za-z0-9_]*$/.test(key))
  if (wrong !== undefined) throw new Fault('USAGE', `${JSON.stringify(wrong)} is no environment key such as SECRET_KEY`)
  const twice = keys.find((key, index) => keys.indexOf(key) !== index)
  if (twice !== undefined) throw new Fault('USAGE', `${twice} is there twice`)
  const taken = database === 'none' ? undefined : databases[database].configField.key
  if (taken !== undefined && keys.includes(taken)) throw new Fault('USAGE', `${taken} is generated for the database already`)
  return keys
}
