import {LineCounter, parseDocument} from 'yaml'
import {Fault} from '../../contract/faults.js'
import {isFields, type Fields} from './compose-value.js'

const largestBytes = 1_000_000

/** The map that a Compose file holds, anchors and merge keys followed. Throws with the line where the text is no YAML. */
export function parseComposeText(text: string, file: string): Fields {
  if (Buffer.byteLength(text) > largestBytes) throw new Fault('VALIDATION_ERROR', `${file} is larger than ${largestBytes.toLocaleString('en')} bytes`)
  const value = readYaml(text, file)
  if (!isFields(value)) throw broken(file, 1, 'a Compose file is a map with services')
  return value
}

function readYaml(text: string, file: string): unknown {
  const lines = new LineCounter()
  try {
    const document = parseDocument(text, {lineCounter: lines, merge: true, logLevel: 'error'})
    const [error] = document.errors
    if (error !== undefined) throw broken(file, lines.linePos(error.pos[0]).line, error.message.split('\n', 1)[0] ?? '')
    return document.toJS({maxAliasCount: 100})
  } catch (error) {
    if (error instanceof Fault) throw error
    // Nesting without end, or aliases that multiply.
    throw broken(file, 1, error instanceof Error ? error.message : 'it can not be read', error)
  }
}

function broken(file: string, line: number, message: string, cause?: unknown): Fault {
  return new Fault('VALIDATION_ERROR', `${file}:${line}: ${message}`, {details: {file, line}, ...(cause !== undefined && {cause})})
}
