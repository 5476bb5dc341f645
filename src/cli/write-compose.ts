import {readFile} from 'node:fs/promises'
import path from 'node:path'
import {contextFolder, mountFolder, mountPaths} from '../catalog/compose-paths.js'
import type {RenderedApp} from '../catalog/render-app.js'
import {Fault} from '../contract/faults.js'
import {parseDotenv, toDotenvLine} from './dotenv.js'
import type {RenderPlan} from './plan-render.js'
import {writeFolder, type NewFile} from './write-folder.js'

const composeName = 'docker-compose.yml'
const variablesName = '.env'

/** The variables of an earlier output; none where there was none. */
export async function readVariables(folder: string): Promise<ReadonlyMap<string, string>> {
  return parseDotenv(await readIfThere(path.join(folder, variablesName)))
}

async function readIfThere(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return ''
    throw new Fault('USAGE', `can not read ${file}`, {details: {file}, cause: error})
  })
}

export interface WrittenCompose {
  readonly composeFile: string
  /** Absolute paths of all of it. */
  readonly files: readonly string[]
  readonly notes: readonly string[]
}

/** Writes an app as a folder that Compose starts: the file, the values it takes, and what is mounted or built. */
export async function writeCompose(folder: string, plan: RenderPlan, {force}: {force: boolean}): Promise<WrittenCompose> {
  const {text, notes} = plan.compose('variables')
  const variables = await addVariables(folder, plan.variables)
  const [mounted, built] = [mountedFiles(plan.whole), buildFiles(plan.whole)]
  const hasSecret = (files: readonly {isSecret: boolean}[]): boolean => files.some(({isSecret}) => isSecret)
  const files = await writeFolder({
    folder, force,
    files: [
      // First, as these are what nothing else could be made from again.
      ...(variables === undefined ? [] : [{path: variablesName, text: variables, mode: 0o600, replaces: true}]),
      {path: composeName, text, mode: 0o600},
      ...[...mounted, ...built].map(({path: at, text: content}) => ({path: at, text: content, mode: 0o644})),
    ],
    // The files keep a mode that any user of a container can read; nobody else gets as far as to them.
    folderModes: {...(hasSecret(mounted) && {[mountFolder]: 0o700}), ...(hasSecret(built) && {[contextFolder]: 0o700})},
  })
  return {composeFile: path.join(folder, composeName), files, notes}
}

// Lines that are there stay as they are: they may be all that opens data made with them.
async function addVariables(folder: string, variables: ReadonlyMap<string, string>): Promise<string | undefined> {
  const before = await readIfThere(path.join(folder, variablesName))
  const present = parseDotenv(before)
  const lines = [...variables].filter(([name]) => !present.has(name)).map(([name, value]) => toDotenvLine(name, value) ?? refuseLine(name))
  if (lines.length === 0) return undefined
  return `${before}${before === '' || before.endsWith('\n') ? '' : '\n'}${lines.map((line) => `${line}\n`).join('')}`
}

function refuseLine(name: string): never {
  throw new Fault('USAGE', `the value of ${name} has a quote, a backslash or a line break, which a file .env can not hold; choose another`, {details: {name}})
}

interface OutputFile extends Pick<NewFile, 'path' | 'text'> {
  readonly isSecret: boolean
}

function mountedFiles(app: RenderedApp): OutputFile[] {
  const paths = mountPaths(app.files)
  return app.files.map((file) => ({path: paths.get(file) ?? '', text: file.content, isSecret: file.isSecret}))
}

function buildFiles({services}: RenderedApp): OutputFile[] {
  return services.flatMap(({build}) => build?.files ?? []).map(({path: at, content, isSecret}) => ({path: `${contextFolder}/${at}`, text: content, isSecret}))
}
