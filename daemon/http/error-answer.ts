import {Fault} from '../../src/contract/faults.js'
import {describeError, type Log} from '../log.js'
import {notJson} from './parse-input.js'

export interface ErrorAnswer {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
  readonly retryAfterSeconds?: number
}

/** What goes to the caller for anything thrown. A bug tells him nothing but the request id; the log gets the rest. */
export function toErrorAnswer(error: unknown, requestId: string, log: Log): ErrorAnswer {
  const fault = error instanceof Fault ? error : fromFramework(error)
  if (fault === undefined || fault.code === 'INTERNAL') {
    log.error('a request failed', {requestId, error: describeError(error)})
    const message = fault?.message ?? 'Internal server error'
    return {status: 500, body: {error: message, code: 'INTERNAL', requestId}}
  }
  // Missing, foreign and not covered must look the same: nothing of the fault's own words goes out.
  if (fault.code === 'NOT_FOUND') return {status: 404, body: {error: 'Not found', code: 'NOT_FOUND'}}
  const retryAfter = fault.details['retryAfterSeconds']
  // The code of the answer is the fault's own; one among the details says what came in its way.
  const {code: reason, ...details} = fault.details
  return {
    status: fault.status,
    body: {
      ...details,
      ...(reason !== undefined && {reason}),
      ...(fault.code === 'VALIDATION_ERROR' && {success: false, errors: fault.errors, details: byField(fault)}),
      error: fault.message,
      code: fault.code,
      ...(fault.suggestions.length > 0 && {suggestions: fault.suggestions}),
    },
    ...(typeof retryAfter === 'number' && {retryAfterSeconds: retryAfter}),
  }
}

// Some clients read field -> messages instead of the list.
function byField(fault: Fault): Record<string, string[]> {
  // A map, as a caller may name a field `__proto__`.
  const fields = new Map<string, string[]>()
  for (const {path, message} of fault.errors) fields.set(path.slice(1), [...(fields.get(path.slice(1)) ?? []), message])
  return Object.fromEntries(fields)
}

// Fastify marks its own errors with a code; none of its wording leaves.
function fromFramework(error: unknown): Fault | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return new Fault('PAYLOAD_TOO_LARGE', 'the body is larger than this route takes')
  if (code === 'FST_ERR_CTP_INVALID_CONTENT_LENGTH') return new Fault('VALIDATION_ERROR', 'Content-Length differs from the length of the body')
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return notJson()
  if (code === 'FST_ERR_BAD_URL' || code === 'FST_ERR_MAX_PARAM_LENGTH') return new Fault('NOT_FOUND', 'Not found')
  return undefined
}
