import type {z} from 'zod'
import {Fault, invalidInput, type FieldError} from '../../src/contract/faults.js'
import type {RouteSpec} from '../../src/contract/route.js'
import {toFieldErrors} from './field-errors.js'

export interface RawInput {
  readonly params: unknown
  readonly query: unknown
  readonly headers?: unknown
  readonly body: Buffer | undefined
  readonly contentType: string | undefined
}

export interface Parsed {
  readonly params: unknown
  readonly query: unknown
  readonly body: unknown
  readonly headers: unknown
}

/** Parses all parts of a request at once, so that a caller hears of every mistake in one answer. */
export function parseInput(route: RouteSpec, raw: RawInput): Parsed {
  const errors: FieldError[] = []
  const part = (schema: z.ZodType | undefined, value: unknown): unknown => {
    if (schema === undefined) return undefined
    const result = schema.safeParse(value)
    if (result.success) return result.data
    errors.push(...toFieldErrors(result.error.issues, value))
    return undefined
  }
  const params = part(route.params, raw.params)
  const query = part(route.query, {...asObject(raw.query)})
  refuseEmptyNumbers(raw.query, query, errors)
  const headers = part(route.headers, pickHeaders(route, raw))
  // A body that is read while it arrives is the handler's own.
  const body = route.streamsBody === true ? undefined : part(route.body, bodyOf(route, raw, errors))
  if (errors.length > 0) throw invalidInput(errors)
  return {params, query, body, headers}
}

// Only what the route asks for: every request has others.
function pickHeaders(route: RouteSpec, {headers}: RawInput): object {
  const wanted = Object.keys(route.headers?.shape ?? {})
  return Object.fromEntries(Object.entries(asObject(headers)).filter(([name]) => wanted.includes(name)))
}

// An empty value would become 0 where a number is wanted.
function refuseEmptyNumbers(raw: unknown, parsed: unknown, errors: FieldError[]): void {
  const numbers = new Set(Object.entries(asObject(parsed)).flatMap(([name, value]) => (typeof value === 'number' ? [name] : [])))
  for (const [name, value] of Object.entries(asObject(raw))) if (value === '' && numbers.has(name)) errors.push({path: `/${name}`, message: 'must not be empty'})
}

function asObject(value: unknown): object {
  return typeof value === 'object' && value !== null ? value : {}
}

function bodyOf(route: RouteSpec, {body, contentType}: RawInput, errors: FieldError[]): unknown {
  if (body === undefined || body.length === 0) {
    // No body is no input: an optional one stays away, of a required one every missing field is named.
    return route.body?.safeParse(undefined).success === true ? undefined : {}
  }
  if (!/^application\/(?:[\w.+-]+\+)?json(?:\s*;|\s*$)/i.test(contentType ?? '')) {
    throw notJson()
  }
  const value = parseJson(body)
  if (route.body === undefined) refuseUnread(value, errors)
  return value
}

export function notJson(): Fault {
  return new Fault('UNSUPPORTED_MEDIA_TYPE', 'the body must be JSON: send Content-Type: application/json')
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch (error) {
    throw new Fault('INVALID_JSON', 'the body is not valid JSON', {cause: error})
  }
}

// A route without a body takes {} for older clients, and nothing that would be dropped in silence.
function refuseUnread(value: unknown, errors: FieldError[]): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    errors.push({path: '/', message: 'this route takes no body'})
    return
  }
  errors.push(...Object.keys(value).map((key) => ({path: `/${key}`, message: 'is not a known field'})))
}
