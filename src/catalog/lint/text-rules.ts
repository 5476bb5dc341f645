import type {JsonPath} from '../json-tree.js'
import type {Problem, Rule} from './rule.js'

const start = '{\n  "id": "paste",\n  "name": "Paste Box",\n  "description": "Share text snippets.",\n  "kind": "template",\n  "logo": "paste",\n'
const good = {text: `${start}  "category": "other"\n}\n`}

/** What is wrong with a file as text, whatever it says. Found by the reader of JSON. */
export const textRules: readonly Rule[] = [
  {
    id: 'json-syntax', severity: 'error', meaning: 'the file is not JSON',
    why: 'Nothing else can be said about a file that can not be read. JSON wants double quotes around keys and texts, and a comma between entries.',
    bad: {text: `${start}  'category': "other"\n}\n`}, good,
  },
  {
    id: 'json-comment', severity: 'error', meaning: 'a comment in the file',
    why: 'A definition is plain JSON, which has no comments: other programs refuse the file. Say it in description or help.',
    bad: {text: `${start}  // where it is listed\n  "category": "other"\n}\n`}, good,
  },
  {
    id: 'json-trailing-comma', severity: 'error', meaning: 'a comma before a closing bracket',
    why: 'A definition is plain JSON, which has no comma after the last entry. --fix deletes it.',
    bad: {text: `${start}  "category": "other",\n}\n`}, good,
  },
  {
    id: 'json-bom', severity: 'warning', meaning: 'a byte order mark at the start of the file',
    why: 'Many programs that read JSON stumble over it. --fix deletes it.',
    bad: {text: `\uFEFF${good.text}`}, good,
  },
  {
    id: 'json-duplicate-key', severity: 'warning', meaning: 'a key twice in one object',
    why: 'Only the last one counts, and the others are lost without a word. --fix deletes those that say the same.',
    bad: {text: `${start}  "category": "cms",\n  "category": "other"\n}\n`}, good,
  },
  {
    id: 'json-encoding', severity: 'error', meaning: 'bytes that are not UTF-8',
    why: 'JSON files are UTF-8. Save the file in that encoding.',
    // Text can not show bytes that are no text.
    bad: {}, good,
  },
  {
    id: 'json-size', severity: 'error', meaning: 'a file of more than 1,000,000 bytes',
    why: 'A definition is a few thousand bytes. Put large content into an image.',
    bad: {}, good,
  },
  {
    id: 'json-depth', severity: 'error', meaning: 'nesting deeper than 100 levels',
    why: 'The format needs eight.',
    bad: {text: `${'['.repeat(101)}${']'.repeat(101)}\n`}, good,
  },
  {
    id: 'file-unreadable', severity: 'error', meaning: 'a file that can not be read',
    why: 'It is counted as a problem, so that a check never passes because of a file nobody looked at.',
    bad: {}, good,
  },
  {
    id: 'more-findings', severity: 'info', meaning: 'a file with more than a thousand findings',
    why: 'Only the first thousand are told, errors before warnings.',
    bad: {}, good,
  },
  {
    id: 'text-unstorable', severity: 'error', meaning: 'a text with a NUL or half a character',
    why: 'Neither files nor environment variables can hold them. Delete the \\u0000, or write both halves of the pair.',
    bad: {app: {name: 'Paste \u0000 Box'}}, good: {app: {name: 'Paste \u{1F4CB} Box'}},
    check: ({definition, mayHoldOddText}) => (mayHoldOddText ? findUnstorable(definition, []) : []),
  },
]

function findUnstorable(value: unknown, path: JsonPath): Problem[] {
  if (typeof value === 'string') return unstorable(value, path)
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, child]) => [
    ...(Array.isArray(value) ? [] : unstorable(key, [...path, key]).map((problem) => ({path: problem.path, message: problem.message, part: 'key' as const}))),
    ...findUnstorable(child, [...path, Array.isArray(value) ? Number(key) : key]),
  ])
}

const unstorablePart = /\0|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/

function unstorable(text: string, path: JsonPath): Problem[] {
  const index = text.search(unstorablePart)
  if (index === -1) return []
  const what = text[index] === '\0' ? 'a NUL' : 'half of a character'
  return [{path, inside: {offset: index, length: 1}, message: `the text holds ${what}, which nothing can store; delete it`}]
}

/** Whether a JSON text can hold what nothing can store; asked of the text, as that is quicker than asking every value. */
export function mayHoldOddText(json: string): boolean {
  return /\\u(?:0000|[dD][89a-fA-F])/.test(json) || unstorablePart.test(json)
}
