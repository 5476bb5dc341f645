import {isUtf8} from 'node:buffer'
import {existsSync, readFileSync, statSync} from 'node:fs'
import {readFile} from 'node:fs/promises'
import path from 'node:path'
import {setImmediate as turn} from 'node:timers/promises'
import type {Finding} from '../../catalog/lint/finding.js'
import {lintDefinitions, type LintInput, type LintResult} from '../../catalog/lint/lint-definition.js'
import {lintSet} from '../../catalog/lint/lint-set.js'
import {unreadText} from '../../catalog/lint/unread-text.js'
import {definitionLimits} from '../../catalog/json-limits.js'
import {shownName, stdinName, type DefinitionFile} from './definition-files.js'

export interface CheckedFile {
  readonly name: string
  /** Undefined where it could not be read. */
  readonly text: string | undefined
  readonly findings: readonly Finding[]
}

export interface CheckOptions {
  /** Version of this release. */
  readonly engine: string
  readonly readStdin: () => Promise<Buffer>
  readonly signal: AbortSignal
  /** Texts that are known, by the name of their file, and need not be read. */
  readonly texts?: ReadonlyMap<string, string>
}

const batchSize = 50

/** Reads and checks files, a batch at a time, and then what only shows over all of them. A file that can not be read is a finding. */
export async function checkFiles(files: readonly DefinitionFile[], options: CheckOptions): Promise<CheckedFile[]> {
  const results: Checked[] = []
  for (let start = 0; start < files.length; start += batchSize) {
    // So that an interrupt is heard.
    await turn()
    options.signal.throwIfAborted()
    results.push(...(await checkBatch(files.slice(start, start + batchSize), options)))
  }
  const all = lintSet(files.map(({name}, index) => ({file: shownName(name), result: results[index]?.result ?? unreadText(name, 'file-unreadable')})))
  return files.map(({name}, index) => ({name, text: results[index]?.text, findings: all[index] ?? []}))
}

interface Checked {
  readonly text: string | undefined
  readonly result: Pick<LintResult, 'findings' | 'apps' | 'places'>
}

async function checkBatch(files: readonly DefinitionFile[], options: CheckOptions): Promise<Checked[]> {
  const read: {readonly file: DefinitionFile; readonly text: string | LintResult}[] = []
  for (const file of files) read.push({file, text: await readText(file, options)})
  const inputs = read.flatMap(({file, text}) => (typeof text === 'string' ? [toInput(text, file, options.engine)] : []))
  const linted = lintDefinitions(inputs)
  let next = 0
  return read.map(({file, text}): Checked => {
    if (typeof text !== 'string') return {text: undefined, result: text}
    // Without the definition itself, of which a thousand take room.
    const {findings, apps, places} = linted[next++] ?? unreadText(shownName(file.name), 'file-unreadable')
    return {text, result: {findings, apps, places}}
  })
}

/** The text of a file, or what is to be said about a file without one. */
async function readText(file: DefinitionFile, options: CheckOptions): Promise<string | LintResult> {
  const known = options.texts?.get(file.name)
  if (known !== undefined) return known
  const shown = shownName(file.name)
  let bytes: Buffer
  try {
    bytes = file.name === stdinName ? await options.readStdin() : await readBytes(file.name)
  } catch (error) {
    return unreadText(shown, 'file-unreadable', `the file can not be read: ${reasonOf(error)}`)
  }
  if (bytes.length > definitionLimits.bytes) return unreadText(shown, 'json-size')
  return isUtf8(bytes) ? bytes.toString('utf8') : unreadText(shown, 'json-encoding')
}

/** Checks a text as the file it is of. */
export function checkText(text: string, file: DefinitionFile, engine: string): readonly Finding[] {
  return lintDefinitions([toInput(text, file, engine)]).flatMap(({findings}) => findings)
}

function toInput(text: string, {name, isNamed}: DefinitionFile, engine: string): LintInput {
  const input = {text, file: shownName(name), engine, isManifest: isNamed && isManifest(text)}
  return name === stdinName ? input : {...input, fileName: path.basename(name), hasArticle: (article: string) => hasArticle(name, article)}
}

// Handing a small file to the thread pool and back costs five times what reading it does. Pipes and such may take their time.
async function readBytes(name: string): Promise<Buffer> {
  const kind = statSync(name)
  // What is too large is not read: its size alone says so.
  if (kind.size > definitionLimits.bytes) return Buffer.alloc(definitionLimits.bytes + 1)
  return kind.isFile() ? readFileSync(name) : readFile(name)
}

// Cheap, as it is asked of every file that was named: only a manifest starts this way.
function isManifest(text: string): boolean {
  return /^\s*\{\s*(?:"(?:\$schema|version)"\s*:\s*(?:"[^"]*"|\d+)\s*,\s*)*"apps"\s*:/.test(text)
}

function hasArticle(name: string, article: string): boolean {
  const folder = path.dirname(name)
  return existsSync(path.join(folder, article)) || existsSync(path.join(folder, '..', article))
}

function reasonOf(error: unknown): string {
  const reasons: Readonly<Record<string, string>> = {ENOENT: 'it leads nowhere', EACCES: 'not allowed', EISDIR: 'it is a folder', ELOOP: 'links lead in a circle'}
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return reasons[code] ?? (error instanceof Error ? error.message : String(error))
}
