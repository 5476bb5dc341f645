import type {Readable} from 'node:stream'
import type {Finding} from '../catalog/lint/finding.js'
import {quoteWord} from '../catalog/compose-import/quote-word.js'
import {readJsonText} from '../catalog/json-text.js'
import {ResponseFault} from '../client/response-fault.js'
import {inlineArticle} from './article-file.js'
import {isWhole} from './definition-file.js'
import type {Output} from './output.js'
import {prettyFile} from './validate/pretty-report.js'
import {checkFiles, type CheckedFile} from './validate/read-definitions.js'
import {readAllBytes} from './validate/read-stdin.js'
import {chooseFindings, hasFailed, summarize} from './validate/report.js'
import {reportFault} from './validate/print-report.js'

export interface UploadContext {
  readonly engine: string
  readonly stdin: Readable
  readonly signal: AbortSignal
  readonly out: Output
}

export interface CheckedUpload {
  readonly definition: unknown
  readonly findings: readonly Finding[]
}

// An upload has no file name, and what the instance is too old for is for the instance to say.
const notHere = ['id-filename', 'engine-too-old', 'schema-too-new']

/** Reads the one definition of a file or of stdin for `-`. Errors stop it, warnings are shown; with `check` false only what is no JSON stops it. */
export async function readUpload(file: string, check: boolean, {engine, stdin, signal, out}: UploadContext): Promise<CheckedUpload> {
  const readStdin = (): Promise<Buffer> => readAllBytes(stdin, signal)
  const read = await checkFiles([{name: file, isNamed: false}], {engine, readStdin, signal})
  const [checked] = chooseFindings(read, {only: [], ignored: notHere})
  const json = checked?.text === undefined ? undefined : readJsonText(checked.text)
  if (checked === undefined || json === undefined || !isWhole(json)) {
    for (const file of read) show(file, out)
    throw reportFault(read, [])
  }
  const shown = check ? checked.findings.filter(({severity}) => severity !== 'info') : []
  show({...checked, findings: shown}, out)
  if (hasFailed(summarize([{...checked, findings: shown}]), false)) throw reportFault([{...checked, findings: shown}], [])
  return {definition: await inlineArticle(json.value, file), findings: shown}
}

/** What the instance refused, with the command that says more about it. */
export function explainRefusal(error: unknown, file: string): unknown {
  if (!(error instanceof ResponseFault) || error.code !== 'VALIDATION_ERROR' || file === '-') return error
  const {code, message, details, errors, status, requestId, wireCode} = error
  return new ResponseFault(code, message, {code: wireCode, status, requestId}, {details, errors, suggestions: [`apps validate ${quoteWord(file)}`], cause: error})
}

function show(file: CheckedFile, out: Output): void {
  const text = prettyFile({...file, name: file.name === '-' ? 'stdin' : file.name}, {paint: out.paintNote, frames: false, width: out.view.width, infos: false})
  if (text !== '' && !out.json) out.note(text.trimEnd())
}
