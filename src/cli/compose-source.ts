import {readFileSync, statSync} from 'node:fs'
import path from 'node:path'
import {noFolder, type ProjectFolder} from '../catalog/compose-import/project-folder.js'
import {parseEnvFile} from '../compose/dotenv.js'
import {Fault} from '../contract/faults.js'
import {openComposeFolder} from './compose-folder.js'
import type {Prompts} from './prompts.js'

export interface ComposeSource {
  readonly text: string
  readonly file: string
  readonly folder: ProjectFolder
  readonly variables: ReadonlyMap<string, string>
  /** Name of the folder, which Compose takes for the name of the project. */
  readonly fallbackName: string | undefined
}

const usualNames = ['compose.yaml', 'compose.yml', 'docker-compose.yaml', 'docker-compose.yml']

/** Reads a Compose file, a folder that holds one, or stdin (`-`), with the variables of `.env` beside it or of other files. */
export async function readComposeSource(given: string, envFiles: readonly string[], prompts: Prompts): Promise<ComposeSource> {
  if (given === '-') {
    const text = await prompts.readInput('the Compose file', '-')
    return {text, file: 'stdin', folder: noFolder, variables: readVariables(envFiles), fallbackName: undefined}
  }
  const file = findFile(given)
  const folder = path.dirname(path.resolve(file))
  const variables = envFiles.length > 0 ? readVariables(envFiles) : parseEnvFile(readIfThere(path.join(folder, '.env'))).values
  return {text: readText(file), file, folder: openComposeFolder(folder), variables, fallbackName: path.basename(folder)}
}

function findFile(given: string): string {
  if (statSync(given, {throwIfNoEntry: false})?.isDirectory() !== true) return given
  const found = usualNames.map((name) => path.join(given, name)).find((file) => statSync(file, {throwIfNoEntry: false})?.isFile() === true)
  if (found === undefined) throw new Fault('USAGE', `there is no Compose file in ${given}`, {details: {folder: given}})
  return found
}

function readVariables(files: readonly string[]): Map<string, string> {
  return new Map(files.flatMap((file) => [...parseEnvFile(readText(file)).values]))
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new Fault('USAGE', `can not read ${file}`, {details: {file}, cause: error})
  }
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    // Most projects have none; a folder in its place counts as none, too.
    return ''
  }
}
