import {Fault, isFaultCode, type ExitCode} from '../contract/faults.js'
import {ResponseFault} from '../client/response-fault.js'
import type {Paint} from './colour.js'
import {toPrintable, toPrintableLines} from './display-width.js'

/** The failure as scripts get it. */
export interface ErrorDocument {
  readonly error: {
    readonly code: string
    readonly message: string
    readonly status: number
    readonly requestId: string | null
    readonly details: Readonly<Record<string, unknown>>
    readonly suggestions: readonly string[]
  }
}

/** Anything thrown, as a fault. What nobody foresaw is a bug of ours. */
export function toFault(error: unknown): Fault {
  if (error instanceof Fault) return withoutParserText(error)
  if (isParserError(error)) return new Fault('USAGE', parserMessage(error.message), {suggestions: suggestHelp(error), cause: error})
  const message = error instanceof Error ? error.message : String(error)
  return new Fault('INTERNAL', `this is a bug: ${firstLine(message)}`, {cause: error})
}

/** Built member by member: an error may carry what was typed, secrets included. */
export function toErrorDocument(fault: Fault, programName: string): ErrorDocument {
  return {
    error: {
      code: codeOf(fault),
      message: fault.message,
      status: fault.status,
      requestId: fault instanceof ResponseFault ? fault.requestId : null,
      details: {...fault.details, ...(fault.errors.length > 0 && {errors: fault.errors})},
      suggestions: fault.suggestions.map((command) => `${programName} ${command}`),
    },
  }
}

export interface ErrorView {
  readonly programName: string
  readonly paint: Paint
  readonly verbose: boolean
}

/** The failure as people read it: what failed, what else is known, what to type next. */
export function renderFault(fault: Fault, {programName, paint, verbose}: ErrorView): string {
  const lines = [`${paint('failure', 'error:')} ${toPrintableLines(fault.message)} ${paint('hint', `(${codeOf(fault)})`)}`]
  for (const {path, message} of fault.errors.slice(1)) lines.push(`  ${toPrintable(path.slice(1)) || 'body'}: ${toPrintable(message)}`)
  const log = fault.details['log']
  if (Array.isArray(log)) lines.push(...log.map((line) => `  ${toPrintable(String(line))}`))
  if (fault instanceof ResponseFault && fault.requestId !== null && (verbose || isUnexpected(fault))) lines.push(`request id: ${fault.requestId}`)
  for (const command of fault.suggestions) lines.push(`${paint('hint', 'try:')} ${programName} ${toPrintable(command)}`)
  if (verbose) lines.push(...stackLines(fault))
  else if (codeOf(fault) === 'INTERNAL' && !(fault instanceof ResponseFault)) lines.push(`${paint('hint', 'more:')} the same command with --verbose`)
  return `${lines.join('\n')}\n`
}

export function exitCodeOf(fault: Fault): ExitCode {
  return fault.exit
}

function codeOf(fault: Fault): string {
  return fault instanceof ResponseFault ? fault.wireCode : fault.code
}

function isUnexpected(fault: ResponseFault): boolean {
  return fault.status >= 500 || !isFaultCode(fault.wireCode)
}

function stackLines(error: Error): string[] {
  const lines = (error.stack ?? '').split('\n').slice(1)
  return error.cause instanceof Error ? [...lines, `caused by ${error.cause.name}: ${error.cause.message}`, ...stackLines(error.cause)] : lines
}

function isParserError(error: unknown): error is Error {
  return error instanceof Error && 'oclif' in error && typeof error.oclif === 'object' && error.oclif !== null && 'exit' in error.oclif && error.oclif.exit === 2
}

// The parser adds lines of its own, also to what a flag's parse function throws.
function parserMessage(message: string): string {
  const lines = message
    .replace(/^The following errors? occurred:\s*/, '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !/^(?:See more help|Note: |Alternatively, )/.test(line))
  return inOwnWords(lines.join('; ').replace(/:; /g, ': '))
}

function inOwnWords(message: string): string {
  const [, flag, rest] = /^Parsing (--[\w-]+)\s*;\s*(.*)$/.exec(message) ?? []
  if (flag !== undefined && rest !== undefined) return rest.includes(flag) ? rest : `${flag}: ${rest}`
  return message
    .replace(/^Missing 1 required arg: (\S+)\s+(.*)$/, (_, name: string, meaning: string) => `${name.toUpperCase()} is missing: ${meaning}`)
    .replace(/^Nonexistent flag: /, 'there is no flag ')
}

function withoutParserText(fault: Fault): Fault {
  if (!fault.message.includes('See more help with --help')) return fault
  return new Fault(fault.code, parserMessage(fault.message), {details: fault.details, errors: fault.errors, suggestions: fault.suggestions, cause: fault.cause})
}

function suggestHelp(error: Error): string[] {
  const id = 'parse' in error && typeof error.parse === 'object' && error.parse !== null && 'input' in error.parse ? commandIdOf(error.parse.input) : undefined
  return id === undefined ? ['--help'] : [`${id.replaceAll(':', ' ')} --help`]
}

function commandIdOf(input: unknown): string | undefined {
  if (typeof input !== 'object' || input === null || !('context' in input)) return undefined
  const {context} = input
  return typeof context === 'object' && context !== null && 'id' in context && typeof context.id === 'string' ? context.id : undefined
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? ''
}
