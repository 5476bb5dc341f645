import {Fault} from '../../contract/faults.js'
import type {Output} from '../output.js'
import {githubLine} from './github-report.js'
import {prettyFile} from './pretty-report.js'
import {paintDiff, type MendedFile} from './mend-files.js'
import type {CheckedFile} from './read-definitions.js'
import {hasFailed, summarize, summaryText, toDocument} from './report.js'

export const formats = ['pretty', 'json', 'github', 'sarif'] as const

/** The format that an argument list asks for, before it is parsed. */
export function formatOf(argv: readonly string[]): string | undefined {
  const end = argv.indexOf('--')
  const own = end === -1 ? argv : argv.slice(0, end)
  const index = own.findLastIndex((word) => word === '--format' || word.startsWith('--format='))
  return own[index]?.startsWith('--format=') === true ? own[index].slice('--format='.length) : index === -1 ? undefined : own[index + 1]
}

export interface PrintOptions {
  readonly out: Output
  readonly format: string
  readonly quiet: boolean
  readonly version: string
  readonly strict: boolean
}

/** What was mended, or would be: the diff where nothing was written, else a line for each file. */
export function printMended(mended: readonly MendedFile[], {out, format, dryRun}: Pick<PrintOptions, 'out' | 'format'> & {readonly dryRun: boolean}): void {
  for (const {file, diff, fixes} of mended) {
    if (dryRun && format === 'pretty') out.print(paintDiff(diff, out.paint))
    else out.note(`${dryRun ? 'would mend' : 'mended'} ${file}: ${fixes.map(({line, title}) => `line ${line}: ${title}`).join(', ')}`)
  }
}

/** Writes what was found; with json the command does that itself. */
export async function printReport(files: readonly CheckedFile[], {out, format, quiet, version, strict}: PrintOptions): Promise<void> {
  if (out.json) return
  const findings = files.flatMap((file) => file.findings)
  if (format === 'github') for (const finding of findings) out.print(githubLine(finding))
  else if (format === 'sarif') {
    const {toSarif} = await import('./sarif-report.js')
    out.print(JSON.stringify(toSarif(findings, version), null, 2))
  } else {
    const view = {paint: out.paint, frames: out.terminal && !quiet, width: out.view.width, infos: !quiet}
    for (const text of files.map((file) => prettyFile(file, view)).filter((shown) => shown !== '')) out.print(text)
  }
  const summary = summarize(files)
  if (!hasFailed(summary, strict)) out.note(summaryText(summary))
}

/** Why the check failed, with everything a program wants to know. */
export function reportFault(files: readonly CheckedFile[], mended: readonly MendedFile[]): Fault {
  const summary = summarize(files)
  const findings = files.flatMap((file) => file.findings)
  const first = findings.find(({severity}) => severity === 'error') ?? findings.find(({severity}) => severity === 'warning')
  return new Fault('DEFINITION_INVALID', summaryText(summary), {
    details: toDocument(files, mended),
    suggestions: [...(findings.some(({fix}) => fix !== undefined) && mended.length === 0 ? ['apps validate --fix'] : []), ...(first === undefined ? [] : [`apps rules ${first.rule}`])],
  })
}
