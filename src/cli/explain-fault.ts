import {ResponseFault} from '../client/response-fault.js'
import {Fault} from '../contract/faults.js'

/** Where a failure came from: what decides which flag it means and what to type next. */
export interface FaultPlace {
  /** With spaces. */
  readonly commandId: string
  /** Flag of each field of the API's input. */
  readonly fieldFlags: Readonly<Record<string, string>>
  /** The instance that was asked, where it came to that. */
  readonly baseUrl: string | undefined
  /** The token came from MOORAGE_TOKEN. */
  readonly tokenFromVariable: boolean
}

/** The fault in the words of the command line: the flag that was typed, and a next step that works as it stands. */
export function explainFault(fault: Fault, place: FaultPlace): Fault {
  return suggestNext(nameFlag(fault, place.fieldFlags), place)
}

function nameFlag(fault: Fault, fieldFlags: FaultPlace['fieldFlags']): Fault {
  const [first] = fault.errors
  if (first === undefined || fault.code !== 'VALIDATION_ERROR') return fault
  const field = Object.keys(fieldFlags).find((name) => first.path === `/${name}` || first.path.startsWith(`/${name}/`))
  if (field === undefined) return fault
  const member = first.path.slice(field.length + 2)
  // A place in a list means nothing to a person; a name in a map is what was typed.
  const named = member === '' || /^\d/.test(member) ? '' : ` ${member}`
  return withChange(fault, {code: 'USAGE', message: `${fieldFlags[field] ?? ''}${named}: ${first.message}`, suggestions: fault.suggestions})
}

function suggestNext(fault: Fault, {commandId, baseUrl, tokenFromVariable}: FaultPlace): Fault {
  const {code, message} = fault
  if (code === 'INVALID_TOKEN' && baseUrl !== undefined) {
    if (tokenFromVariable) return withChange(fault, {code, message: `${message}; it was taken from MOORAGE_TOKEN`, suggestions: [`login --url ${baseUrl} --token-stdin`]})
    return withChange(fault, {code, message, suggestions: [`login --url ${baseUrl}`]})
  }
  if (code === 'FORBIDDEN' && fault.suggestions.length === 0) return withChange(fault, {code, message, suggestions: ['whoami']})
  const hasNone = fault.suggestions.length === 0 || fault.suggestions[0] === '--help'
  return code === 'USAGE' && hasNone ? withChange(fault, {code, message, suggestions: [`${commandId} --help`]}) : fault
}

// A fault of the API keeps its code and request id where only what is said changes.
function withChange(fault: Fault, {code, message, suggestions}: {code: Fault['code']; message: string; suggestions: readonly string[]}): Fault {
  const options = {details: fault.details, errors: fault.errors, suggestions, cause: fault.cause ?? fault}
  if (!(fault instanceof ResponseFault) || code !== fault.code) return new Fault(code, message, options)
  return new ResponseFault(code, message, {code: fault.wireCode, status: fault.status, requestId: fault.requestId}, options)
}
