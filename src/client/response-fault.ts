import {Fault, isFaultCode, type FaultCode, type FaultOptions, type FieldError} from '../contract/faults.js'

interface Wire {
  readonly code: string
  readonly status: number
  readonly requestId: string | null
}

/** A failure that the API answered with. Keeps a code that this release does not know, for a newer daemon. */
export class ResponseFault extends Fault {
  readonly wireCode: string
  readonly requestId: string | null
  readonly #wireStatus: number

  constructor(code: FaultCode, message: string, wire: Wire, options: FaultOptions) {
    super(code, message, options)
    this.wireCode = wire.code
    this.#wireStatus = wire.status
    this.requestId = wire.requestId
  }

  override get status(): number {
    return this.#wireStatus
  }
}

const ownMembers = new Set(['error', 'code', 'errors', 'suggestions', 'success', 'requestId'])

/** The fault of an error body; undefined where the body is not one of ours. */
export function toResponseFault(status: number, body: unknown, requestId: string | null): ResponseFault | undefined {
  if (!isRecord(body) || typeof body['error'] !== 'string') return undefined
  const code = typeof body['code'] === 'string' ? body['code'] : codeOfStatus(status)
  const details = Object.fromEntries(Object.entries(body).filter(([name]) => !ownMembers.has(name) && !(name === 'details' && code === 'VALIDATION_ERROR')))
  const named = typeof body['requestId'] === 'string' ? body['requestId'] : requestId
  return new ResponseFault(isFaultCode(code) ? code : codeOfStatus(status), body['error'], {code, status, requestId: named}, {
    details, errors: fieldErrors(body['errors']), suggestions: texts(body['suggestions']),
  })
}

function codeOfStatus(status: number): FaultCode {
  if (status === 401) return 'UNAUTHORIZED'
  if (status === 403) return 'FORBIDDEN'
  if (status === 404) return 'NOT_FOUND'
  if (status === 429) return 'RATE_LIMITED'
  if (status === 400) return 'VALIDATION_ERROR'
  return status < 500 ? 'CONFLICT' : 'INTERNAL'
}

function fieldErrors(value: unknown): FieldError[] {
  if (!Array.isArray(value)) return []
  return value.flatMap((entry: unknown) =>
    isRecord(entry) && typeof entry['path'] === 'string' && typeof entry['message'] === 'string'
      ? [{path: entry['path'], message: entry['message']}]
      : [],
  )
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((entry): entry is string => typeof entry === 'string') : []
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
