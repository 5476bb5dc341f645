import {showExample} from '../../catalog/lint/examples.js'
import type {Severity} from '../../catalog/lint/finding.js'
import type {Example, Rule} from '../../catalog/lint/rule.js'
import {findRule, rules} from '../../catalog/lint/rules.js'
import {Fault} from '../../contract/faults.js'
import {findClosest} from '../../text/edit-distance.js'
import type {Meaning, Paint} from '../colour.js'

const meanings: Readonly<Record<Severity, Meaning>> = {error: 'failure', warning: 'warning', info: 'hint'}

/** A rule by its id, or a fault that names the closest one. */
export function getRule(id: string): Rule {
  const rule = findRule(id)
  if (rule !== undefined) return rule
  const closest = findClosest(id, rules.map((other) => other.id))
  throw new Fault('USAGE', `there is no rule ${id}`, {details: {rule: id}, suggestions: [closest === undefined ? 'apps rules' : `apps rules ${closest}`]})
}

/** What a program gets of a rule. */
export function toRuleDocument({id, severity, meaning, why, bad, good}: Rule): object {
  return {id, severity, meaning, why, bad: exampleOf(bad), good: exampleOf(good)}
}

/** A rule for people: what it finds, why that matters, and how it looks wrong and right. */
export function explainRule({id, severity, meaning, why, bad, good}: Rule, paint: Paint): string {
  const parts = [`${paint('heading', id)}  ${paint(meanings[severity], severity)}`, meaning, why]
  if (exampleOf(bad) !== null) parts.push(`${paint('failure', 'Wrong:')}\n${indented(showExample(bad))}`)
  parts.push(`${paint('success', 'Right:')}\n${indented(showExample(good))}`)
  return parts.join('\n\n')
}

function exampleOf(example: Example): string | null {
  const text = showExample(example)
  return text === '' ? null : text
}

function indented(text: string): string {
  return text.replace(/^\uFEFF/, '\\uFEFF').trimEnd().split('\n').map((line) => `  ${line}`).join('\n')
}
