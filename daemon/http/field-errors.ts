import type {z} from 'zod'
import type {FieldError} from '../../src/contract/faults.js'

/** What a schema found wrong, in our words: a JSON pointer (RFC 6901) and what to do. Never the value. */
export function toFieldErrors(issues: readonly z.core.$ZodIssue[], data: unknown): FieldError[] {
  return issues.flatMap((issue) => {
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => ({path: toPointer([...issue.path, key]), message: 'is not a known field'}))
    }
    return [{path: toPointer(issue.path), message: messageOf(issue, valueAt(data, issue.path))}]
  })
}

/** A place in an input as a JSON pointer; `/` is all of it. */
export function toPointer(path: readonly PropertyKey[]): string {
  return `/${path.map((part) => String(part).replace(/~/g, '~0').replace(/\//g, '~1')).join('/')}`
}

function valueAt(data: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((value, part) => (typeof value === 'object' && value !== null ? Reflect.get(value, part) : undefined), data)
}

const typeWords: Readonly<Record<string, string>> = {
  string: 'a text', number: 'a number', int: 'a whole number', boolean: 'true or false', array: 'a list', object: 'an object', record: 'an object',
}

function messageOf(issue: z.core.$ZodIssue, value: unknown): string {
  if (value === undefined && (issue.code === 'invalid_type' || issue.code === 'invalid_value')) return 'is required'
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${typeWords[issue.expected] ?? issue.expected}`
    case 'too_small':
      return bound('at least', issue.origin, Number(issue.minimum))
    case 'too_big':
      return bound('at most', issue.origin, Number(issue.maximum))
    case 'invalid_value':
      return `must be ${issue.values.length === 1 ? '' : 'one of '}${issue.values.map(String).join(', ')}`
    case 'invalid_format':
      return formatMessage(issue)
    case 'invalid_key':
      return issue.issues[0]?.message ?? 'has a bad name'
    case 'invalid_union':
      return unionMessage(issue)
    case 'invalid_element':
    case 'not_multiple_of':
    case 'unrecognized_keys':
    case 'custom':
      return issue.message
  }
}

function bound(word: string, origin: string, limit: number): string {
  if (origin === 'string') return limit === 1 && word === 'at least' ? 'must not be empty' : `must have ${word} ${limit} characters`
  if (origin === 'array' || origin === 'set') return `must have ${word} ${limit} entries`
  return `must be ${word} ${limit}`
}

function formatMessage(issue: z.core.$ZodIssueInvalidStringFormat): string {
  // A pattern of ours comes with words of ours; the library's own begin with "Invalid".
  if (issue.format === 'regex') return issue.message.startsWith('Invalid') ? 'has the wrong form' : issue.message
  if (issue.format === 'datetime') return 'must be an ISO 8601 instant with Z or an offset, such as 2031-03-04T05:06:07Z'
  return issue.format === 'email' ? 'must be an e-mail address' : `must be of the form ${issue.format}`
}

function unionMessage(issue: z.core.$ZodIssueInvalidUnion): string {
  const literals = issue.errors.flat().flatMap((inner) => (inner.code === 'invalid_value' ? inner.values.map(String) : []))
  return literals.length > 0 ? `must be one of ${[...new Set(literals)].join(', ')}` : 'has the wrong form'
}
