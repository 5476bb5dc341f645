import {sizeProblem} from '../json-limits.js'
import {readJsonText} from '../json-text.js'
import type {LintResult} from './lint-definition.js'
import {toFinding} from './place-finding.js'

const messages = {
  'json-size': sizeProblem().message,
  'json-encoding': 'the file is not UTF-8; save it in that encoding',
  'file-unreadable': 'the file can not be read',
} as const

/** The result for a file whose text nobody has. */
export function unreadText(file: string, rule: keyof typeof messages, message: string = messages[rule]): LintResult {
  const {places} = readJsonText('')
  return {findings: [toFinding(places, file, {rule, path: [], message})], definition: null, apps: [], places}
}
