import {compareVersions, keyEngines} from '../engine-version.js'
import type {LintContext} from './lint-context.js'
import type {Problem, Rule} from './rule.js'

const service = {name: 'web', image: 'ghcr.io/example/paste:1.4.2', stopGracePeriod: '60s'}

/** The oldest release that runs a definition. */
export const engineRules: readonly Rule[] = [
  {
    id: 'min-engine-missing', severity: 'warning', meaning: 'a key that is newer than the minEngine of the definition',
    why: 'An older release drops the key without a word and runs the wrong process. Declare the first release that knows it.',
    bad: {app: {services: [service]}}, good: {app: {minEngine: '0.6.6', services: [service]}},
    check: findNewerKeys,
  },
  {
    id: 'min-engine-form', severity: 'warning', meaning: 'a minEngine that is no version',
    why: 'What is no number counts as 0, so any release would do. Write X.Y.Z.',
    bad: {app: {minEngine: 'latest'}}, good: {app: {minEngine: '0.6.6'}},
    check: ({definition: {minEngine}}) => (minEngine === undefined || /^\s*v?\d+\.\d+(?:\.\d+)?(?:[-+].*)?\s*$/i.test(minEngine) ? [] : [{path: ['minEngine'], message: `${minEngine} is no version; write one such as 1.0.0`}]),
  },
  {
    id: 'engine-too-old', severity: 'warning', meaning: 'a definition that this release can not run',
    why: 'minEngine names a newer release than the one that checks, which then refuses to install it.',
    bad: {app: {minEngine: '999.0.0'}}, good: {app: {minEngine: '0.6.6'}},
    check: ({definition: {minEngine}, engine}) =>
      minEngine === undefined || engine === undefined || compareVersions(engine, minEngine) >= 0 ? [] : [{path: ['minEngine'], message: `the definition asks for ${minEngine}, and this is ${engine}`}],
  },
]

// One word for each key, at its first use.
function findNewerKeys({definition: {minEngine}, services, isComplete}: LintContext): Problem[] {
  if (!isComplete('minEngine')) return []
  return Object.entries(keyEngines).flatMap(([key, since]) => {
    const user = services.find(({item}) => Object.hasOwn(item, key))
    if (user === undefined || (minEngine !== undefined && compareVersions(minEngine, since) >= 0)) return []
    const said = minEngine === undefined ? 'the definition has no minEngine' : `minEngine is ${minEngine}`
    return [{path: [...user.path, key], part: 'key' as const, message: `${key} needs ${since} or newer, and ${said}`, suggestion: `"minEngine": "${since}"`}]
  })
}
