import {existsSync} from 'node:fs'
import {open} from 'node:fs/promises'
import path from 'node:path'
import type {Finding} from '../../catalog/lint/finding.js'
import {lintDefinition, lintManifest, type LintResult} from '../../catalog/lint/lint-definition.js'
import {lintSet} from '../../catalog/lint/lint-set.js'
import {unreadText} from '../../catalog/lint/unread-text.js'
import {definitionLimits} from '../../catalog/json-text.js'
import {stdinName, type DefinitionFile} from './definition-files.js'

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
}

const together = 16

/** Reads and checks files, a few at a time, and then what only shows over all of them. A file that can not be read is a finding. */
export async function checkFiles(files: readonly DefinitionFile[], options: CheckOptions): Promise<CheckedFile[]> {
  const results: {readonly text: string | undefined; readonly result: LintResult}[] = Array.from({length: files.length})
  const queue = files.entries()
  const work = async (): Promise<void> => {
    for (const [index, file] of queue) {
      options.signal.throwIfAborted()
      results[index] = await checkFile(file, options)
    }
  }
  await Promise.all(Array.from({length: together}, work))
  const all = lintSet(files.map(({name}, index) => ({file: shownName(name), result: results[index]?.result ?? unreadText(name, 'file-unreadable', 'it was not read')})))
  return files.map(({name}, index) => ({name, text: results[index]?.text, findings: all[index] ?? []}))
}

async function checkFile(file: DefinitionFile, options: CheckOptions): Promise<{text: string | undefined; result: LintResult}> {
  const shown = shownName(file.name)
  let bytes: Buffer
  try {
    bytes = file.name === stdinName ? await options.readStdin() : await readBytes(file.name)
  } catch (error) {
    return {text: undefined, result: unreadText(shown, 'file-unreadable', `the file can not be read: ${reasonOf(error)}`)}
  }
  if (bytes.length > definitionLimits.bytes) return {text: undefined, result: unreadText(shown, 'json-size')}
  const text = toText(bytes)
  return text === undefined ? {text, result: unreadText(shown, 'json-encoding')} : {text, result: checkText(text, file, options.engine)}
}

/** Checks a text as the file it is of. */
export function checkText(text: string, {name, isNamed}: DefinitionFile, engine: string): LintResult {
  const isFile = name !== stdinName
  const options = {
    file: shownName(name), engine,
    ...(isFile && {fileName: path.basename(name), hasArticle: (article: string) => hasArticle(name, article)}),
  }
  return isNamed && isManifest(text) ? lintManifest(text, options) : lintDefinition(text, options)
}

// One byte more than a definition may have is enough to know.
async function readBytes(name: string): Promise<Buffer> {
  const handle = await open(name)
  try {
    const buffer = Buffer.alloc(Math.min((await handle.stat()).size, definitionLimits.bytes) + 1)
    let length = 0
    for (;;) {
      const {bytesRead} = await handle.read(buffer, length, buffer.length - length)
      length += bytesRead
      if (bytesRead === 0 || length === buffer.length) return buffer.subarray(0, length)
    }
  } finally {
    await handle.close()
  }
}

function toText(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', {fatal: true, ignoreBOM: true}).decode(bytes)
  } catch {
    return undefined
  }
}

// Cheap, as it is asked of every file that was named: only a manifest starts this way.
function isManifest(text: string): boolean {
  return /^\s*\{\s*(?:"(?:\$schema|version)"\s*:\s*(?:"[^"]*"|\d+)\s*,\s*)*"apps"\s*:/.test(text)
}

function hasArticle(name: string, article: string): boolean {
  const folder = path.dirname(name)
  return existsSync(path.join(folder, article)) || existsSync(path.join(folder, '..', article))
}

function shownName(name: string): string {
  return name === stdinName ? 'stdin' : name
}

function reasonOf(error: unknown): string {
  const reasons: Readonly<Record<string, string>> = {ENOENT: 'it leads nowhere', EACCES: 'not allowed', EISDIR: 'it is a folder', ELOOP: 'links lead in a circle'}
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return reasons[code] ?? (error instanceof Error ? error.message : String(error))
}
