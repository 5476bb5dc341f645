import type {JsonPath} from '../json-tree.js'
import type {LintContext} from './lint-context.js'
import type {Problem, Rule} from './rule.js'

const app = (healthcheck: object) => ({app: {services: [{name: 'web', image: 'ghcr.io/example/paste:1.4.2', healthcheck}]}})
const test = ['CMD-SHELL', 'wget -q -O /dev/null http://127.0.0.1:8090/ || exit 1']

/** Health checks and durations. */
export const healthRules: readonly Rule[] = [
  {
    id: 'healthcheck-test', severity: 'warning', meaning: 'a health check whose test does not say how it runs',
    why: 'A list starts with CMD (a program and its arguments), CMD-SHELL (one shell line) or NONE. Without, the first word is taken as a program.',
    bad: app({test: ['curl -f http://127.0.0.1:8090/ || exit 1']}), good: app({test}),
    check: ({services}) => services.flatMap(({item: {healthcheck}, path}) => (Array.isArray(healthcheck?.test) ? checkList(healthcheck.test, [...path, 'healthcheck', 'test']) : [])),
  },
  {
    id: 'healthcheck-disabled', severity: 'warning', meaning: 'a health check that is switched off and described at once',
    why: 'With disable: true, or NONE as test, nothing else of it counts.',
    bad: app({test, disable: true}), good: app({disable: true}),
    check: ({services}) =>
      services.flatMap(({item: {healthcheck}, path}) =>
        healthcheck?.disable === true && Object.keys(healthcheck).length > 1 ? [{path: [...path, 'healthcheck', 'disable'], part: 'key' as const, message: 'disable: true switches the check off; delete it, or all the rest'}] : [],
      ),
  },
  {
    id: 'duration-form', severity: 'warning', meaning: 'a duration that can not be read',
    why: 'It is left out, and the default holds. Write numbers with units: 500ms, 30s, 1m30s, 2h; a bare number is seconds.',
    bad: app({test, interval: '10 seconds'}), good: app({test, interval: '10s'}),
    check: (lint) =>
      durations(lint)
        .filter(({text}) => !isDuration(text))
        .map(({text, path}) => ({path, message: `${JSON.stringify(text)} is no duration; write one such as 30s or 1m30s`, suggestion: suggestDuration(text)})),
  },
]

function checkList(list: readonly string[], path: JsonPath): Problem[] {
  const [first, ...rest] = list
  if (first === undefined) return [{path, message: 'the test is empty; give a command, or leave it out to keep the check of the image'}]
  if (first === 'NONE') return rest.length === 0 ? [] : [{path, message: 'NONE switches the check off; nothing may follow it'}]
  if (first === 'CMD') return rest.length > 0 ? [] : [{path, message: 'CMD needs a program after it'}]
  if (first === 'CMD-SHELL') {
    return rest.length === 1 ? [] : [{path, message: 'CMD-SHELL takes one entry with the whole line', suggestion: rest.length === 0 ? undefined : JSON.stringify(['CMD-SHELL', rest.join(' ')])}]
  }
  const isLine = list.length === 1 && /\s/.test(first)
  return [{path, message: `the list has to start with CMD, CMD-SHELL or NONE; ${isLine ? 'this is a shell line' : 'this runs a program'}`, suggestion: JSON.stringify([isLine ? 'CMD-SHELL' : 'CMD', ...list])}]
}

function durations({services}: LintContext): {text: string; path: JsonPath}[] {
  return services.flatMap(({item: {healthcheck = {}, stopGracePeriod}, path}) => [
    ...(['interval', 'timeout', 'startPeriod'] as const).map((key) => ({text: healthcheck[key], path: [...path, 'healthcheck', key]})),
    {text: stopGracePeriod, path: [...path, 'stopGracePeriod']},
  ]).flatMap(({text, path}) => (text === undefined ? [] : [{text, path}]))
}

/** Numbers with units, or a bare number of seconds. */
function isDuration(text: string): boolean {
  return /^(?:(?:\d+(?:\.\d+)?(?:ns|us|µs|ms|s|m|h))+|\d+(?:\.\d+)?)$/.test(text)
}

function suggestDuration(text: string): string | undefined {
  const [, number, unit] = /^\s*(\d+(?:\.\d+)?)\s*(milliseconds?|seconds?|secs?|minutes?|mins?|hours?|[smh])\s*$/i.exec(text) ?? []
  if (number === undefined || unit === undefined) return undefined
  return `${number}${/^mil/i.test(unit) ? 'ms' : unit.charAt(0).toLowerCase()}`
}
