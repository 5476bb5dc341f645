import {writeFile} from 'node:fs/promises'
import {applyFixes} from '../../catalog/lint/apply-fixes.js'
import type {Finding} from '../../catalog/lint/finding.js'
import {Fault} from '../../contract/faults.js'
import type {Meaning, Paint} from '../colour.js'
import {toPrintable} from '../display-width.js'
import {stdinName, type DefinitionFile} from './definition-files.js'
import {checkText, type CheckedFile} from './read-definitions.js'

export interface MendedFile {
  readonly file: string
  /** What was mended, each in a few words. */
  readonly fixes: readonly {readonly rule: string; readonly line: number; readonly title: string}[]
  /** The text as it is then. */
  readonly text: string
  /** As a unified diff. */
  readonly diff: string
}

export interface MendOptions {
  readonly engine: string
  readonly dryRun: boolean
  readonly isWanted: (finding: Finding) => boolean
}

/** Mends what is safe to mend, in the files or, in a dry run, only as a diff. */
export async function mendFiles(files: readonly DefinitionFile[], checked: readonly CheckedFile[], {engine, dryRun, isWanted}: MendOptions): Promise<MendedFile[]> {
  const mended: MendedFile[] = []
  for (const [index, {name, text, findings}] of checked.entries()) {
    const file = files[index]
    if (file === undefined || text === undefined || !findings.some((finding) => finding.fix !== undefined && isWanted(finding))) continue
    const result = applyFixes(text, (changed) => checkText(changed, file, engine), isWanted)
    if (result.text === text) continue
    if (!dryRun) await write(name, result.text)
    const {createTwoFilesPatch} = await import('diff')
    const diff = createTwoFilesPatch(name, name, text, result.text, undefined, undefined, {context: 2}).replace(/^(?:Index: .*\n)?=+\n/, '')
    mended.push({file: name, text: result.text, diff, fixes: result.findings.map(({rule, line, fix}) => ({rule, line, title: fix?.title ?? ''}))})
  }
  return mended
}

/** A unified diff as a terminal shows it. */
export function paintDiff(diff: string, paint: Paint): string {
  const meaningOf = (line: string): Meaning | undefined => {
    if (line.startsWith('---') || line.startsWith('+++')) return 'heading'
    if (line.startsWith('@@')) return 'name'
    return line.startsWith('-') ? 'failure' : line.startsWith('+') ? 'success' : undefined
  }
  const shown = (line: string): string => line.split('\t').map(toPrintable).join('\t')
  return diff.trimEnd().split('\n').map((line) => {
    const meaning = meaningOf(line)
    return meaning === undefined ? shown(line) : paint(meaning, shown(line))
  }).join('\n')
}

/** What was mended, for programs. */
export function toMendedDocument(mended: readonly MendedFile[]): object[] {
  return mended.map(({file, fixes, diff}) => ({file, fixes, diff}))
}

async function write(name: string, text: string): Promise<void> {
  if (name === stdinName) throw new Fault('USAGE', 'stdin can not be mended in place; add --dry-run to see what would change')
  try {
    await writeFile(name, text)
  } catch (error) {
    throw new Fault('USAGE', `can not write ${name}: ${error instanceof Error ? error.message : String(error)}`, {details: {file: name}, cause: error})
  }
}
