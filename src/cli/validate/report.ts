import type {Finding} from '../../catalog/lint/finding.js'
import {toMendedDocument, type MendedFile} from './mend-files.js'
import type {CheckedFile} from './read-definitions.js'

export interface Summary {
  readonly files: number
  /** Files with at least one problem that counts. */
  readonly filesWithProblems: number
  readonly errors: number
  readonly warnings: number
  readonly infos: number
}

export interface Choice {
  readonly only: readonly string[]
  readonly ignored: readonly string[]
}

/** Whether a finding is asked for. */
export function isChosen({rule}: Finding, {only, ignored}: Choice): boolean {
  return (only.length === 0 || only.includes(rule)) && !ignored.includes(rule)
}

/** Only what is asked for. */
export function chooseFindings(files: readonly CheckedFile[], choice: Choice): CheckedFile[] {
  return files.map((file) => ({...file, findings: file.findings.filter((finding) => isChosen(finding, choice))}))
}

export function summarize(files: readonly CheckedFile[]): Summary {
  const count = (severity: Finding['severity']): number => files.reduce((sum, {findings}) => sum + findings.filter((finding) => finding.severity === severity).length, 0)
  const filesWithProblems = files.filter(({findings}) => findings.some(({severity}) => severity !== 'info')).length
  return {files: files.length, filesWithProblems, errors: count('error'), warnings: count('warning'), infos: count('info')}
}

export function hasFailed({errors, warnings}: Summary, strict: boolean): boolean {
  return errors > 0 || (strict && warnings > 0)
}

export function summaryText({files, filesWithProblems, errors, warnings}: Summary): string {
  const definitions = counted(files, 'file')
  if (errors === 0 && warnings === 0) return `${definitions}, no problems`
  const problems = [...(errors > 0 ? [counted(errors, 'error')] : []), ...(warnings > 0 ? [counted(warnings, 'warning')] : [])]
  return `${problems.join(' and ')} in ${filesWithProblems} of ${definitions}`
}

function counted(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? '' : 's'}`
}

/** The report for programs. */
export function toDocument(files: readonly CheckedFile[], mended: readonly MendedFile[] = []): Readonly<Record<string, unknown>> {
  return {...summarize(files), findings: files.flatMap(({findings}) => findings), ...(mended.length > 0 && {mended: toMendedDocument(mended)})}
}
