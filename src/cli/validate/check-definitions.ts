import {findDefinitionFiles} from './definition-files.js'
import {mendFiles, type MendedFile} from './mend-files.js'
import {checkFiles, type CheckedFile} from './read-definitions.js'
import {chooseFindings, isChosen, type Choice} from './report.js'

export interface Check {
  readonly paths: readonly string[]
  readonly choice: Choice
  readonly fix: boolean
  readonly dryRun: boolean
  /** Version of this release. */
  readonly engine: string
  readonly readStdin: () => Promise<Buffer>
  readonly signal: AbortSignal
}

export interface CheckResult {
  readonly files: readonly CheckedFile[]
  readonly mended: readonly MendedFile[]
}

/** Finds, reads and checks definitions, and mends them where asked to; what is told is how they are then. */
export async function checkDefinitions({paths, choice, fix, dryRun, engine, readStdin, signal}: Check): Promise<CheckResult> {
  const options = {engine, readStdin, signal}
  const files = await findDefinitionFiles(paths)
  const checked = await checkFiles(files, options)
  const mended = fix ? await mendFiles(files, checked, {engine, dryRun, isWanted: (finding) => isChosen(finding, choice)}) : []
  if (mended.length === 0) return {files: chooseFindings(checked, choice), mended}
  const texts = new Map([
    ...checked.flatMap(({name, text}): [string, string][] => (text === undefined ? [] : [[name, text]])),
    ...mended.map(({file, text}): [string, string] => [file, text]),
  ])
  return {files: chooseFindings(await checkFiles(files, {...options, texts}), choice), mended}
}
