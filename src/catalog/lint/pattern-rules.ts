import {isPattern} from '../bounded-match.js'
import type {JsonPath} from '../json-tree.js'
import type {LintContext} from './lint-context.js'
import type {Rule} from './rule.js'

const field = (pattern: string) => ({app: {settings: [{id: 'general', label: 'General', fields: [{key: 'PASTE_NAME', service: 'web', label: 'Name', type: 'text', pattern}]}]}})
const step = (capturePattern: string) => ({app: {prepare: [{service: 'web', command: './make-key', capture: 'key', capturePattern, once: true, persistAs: {key: 'PASTE_KEY', secret: true}}]}})

/** Regular expressions. */
export const patternRules: readonly Rule[] = [
  {
    id: 'bad-pattern', severity: 'warning', meaning: 'a regular expression that is none',
    why: 'It is ignored: a setting then takes everything, a prepare step captures nothing.',
    bad: field('^[a-z+$'), good: field('^[a-z]+$'),
    check: (lint) => patterns(lint).filter(({pattern}) => !isPattern(pattern)).map(({pattern, path}) => ({path, message: `${pattern} is no regular expression${reasonOf(pattern)}`})),
  },
  {
    id: 'pattern-unanchored', severity: 'warning', meaning: 'a pattern that matches anywhere in the value',
    why: 'A pattern is searched for, so everything that holds a match is accepted. Write ^ at its start and $ at its end.',
    bad: field('[a-z]+'), good: field('^[a-z]+$'),
    check: ({settingFields}) =>
      settingFields.flatMap(({item: {pattern}, path}) =>
        pattern === undefined || !isPattern(pattern) || isAnchored(pattern) ? [] : [{path: [...path, 'pattern'], message: 'the pattern is found anywhere in the value; put ^ before it and $ after it', suggestion: `^(?:${pattern.replace(/^\^/, '').replace(/(?<!\\)\$$/, '')})$`}],
      ),
  },
  {
    id: 'capture-group', severity: 'warning', meaning: 'a capturePattern without a group',
    why: 'The value is what the first group holds. Put parentheses around it.',
    bad: step('key: [a-z0-9]+'), good: step('key: ([a-z0-9]+)'),
    check: ({definition: {prepare = []}}) =>
      prepare.flatMap(({capturePattern}, index) => {
        if (capturePattern === undefined || !isPattern(capturePattern)) return []
        const groups = (new RegExp(`${capturePattern}|`).exec('')?.length ?? 1) - 1
        return groups > 0 ? [] : [{path: ['prepare', index, 'capturePattern'], message: 'the pattern has no group, so nothing is captured; put parentheses around the value'}]
      }),
  },
]

function patterns({settingFields, definition: {prepare = []}}: LintContext): {pattern: string; path: JsonPath}[] {
  return [
    ...settingFields.flatMap(({item, path}) => (item.pattern === undefined ? [] : [{pattern: item.pattern, path: [...path, 'pattern']}])),
    ...prepare.flatMap(({capturePattern}, index) => (capturePattern === undefined ? [] : [{pattern: capturePattern, path: ['prepare', index, 'capturePattern']}])),
  ]
}

function reasonOf(pattern: string): string {
  try {
    new RegExp(pattern)
    return ''
  } catch (error) {
    const reason = error instanceof Error ? error.message.split(': ').at(-1) : undefined
    return reason === undefined ? '' : `: ${reason.toLowerCase()}`
  }
}

function isAnchored(pattern: string): boolean {
  return pattern.startsWith('^') && /(?<!\\)(?:\\\\)*\$$/.test(pattern)
}
