import type {LintContext} from './lint-context.js'
import {findRepeats} from './repeats.js'
import type {Problem, Rule} from './rule.js'

const web = {name: 'web', image: 'ghcr.io/example/paste:1.4.2'}
const key = {key: 'PASTE_KEY', service: 'web', label: 'Session key', generate: 'secret', secret: true}
const app = (...configFields: object[]) => ({app: {configFields}})
const signing = {key: 'JWT_SECRET', service: 'web', label: 'Signing key', generate: 'secret', generateGroup: 'jwt', secret: true}
const token = {key: 'ANON_KEY', service: 'web', label: 'Public key', generate: 'jwt', jwtSecretGroup: 'jwt', jwtRole: 'anon', secret: true}

/** Values that no human types. */
export const configFieldRules: readonly Rule[] = [
  {
    id: 'config-human-input', severity: 'info', meaning: 'a config field without a generator',
    why: 'Config fields are written by the server and shown in no form. Where people should choose, make it a setting with installStep.',
    bad: app({key: 'PASTE_NAME', service: 'web', label: 'Name', default: 'paste'}), good: app(key),
    check: ({configFields}) => configFields.filter(({item}) => item.generate === undefined).map(({item, path}) => ({path, message: `${item.key} is not generated; if people should choose it, make it a setting`})),
  },
  {
    id: 'generated-not-secret', severity: 'warning', meaning: 'a generated value that is not kept secret',
    why: 'It is shown to everyone who may read the environment. A public token is the one exception.',
    bad: app({...key, secret: undefined}), good: app(key),
    check: ({configFields, isComplete}) =>
      configFields.filter(({item}) => item.generate !== undefined && item.secret !== true && isComplete('configFields.*.secret')).map(({item, path}) => ({path, message: `${item.key} is generated, but not marked with secret: true`})),
  },
  {
    id: 'jwt-incomplete', severity: 'error', meaning: 'a generated token without a role or a group',
    why: 'Without jwtRole and jwtSecretGroup its value is empty and nothing is written.',
    bad: app(signing, {...token, jwtRole: undefined}), good: app(signing, token),
    check: findIncompleteTokens,
  },
  {
    id: 'generator-mismatch', severity: 'warning', meaning: 'a key that does not go with the generator of the field',
    why: 'generateGroup belongs to generate secret; jwtSecretGroup and jwtRole to generate jwt. Elsewhere they have no effect.',
    bad: app({...key, jwtRole: 'anon'}), good: app(key),
    check: ({configFields}) => configFields.flatMap(({item, path}) => mismatches(item).map((name) => ({path: [...path, name], part: 'key' as const, message: `${name} has no effect ${item.generate === undefined ? 'without generate' : `with generate ${item.generate}`}`}))),
  },
  {
    id: 'config-default-ignored', severity: 'warning', meaning: 'a default beside a generator',
    why: 'The generated value always wins. Keep one of the two.',
    bad: app({...key, default: 'changeme'}), good: app(key),
    check: ({configFields}) => configFields.filter(({item}) => item.generate !== undefined && item.default !== undefined).map(({path}) => ({path: [...path, 'default'], part: 'key', message: 'the value is generated, so the default is never used'})),
  },
  {
    id: 'config-duplicate-key', severity: 'warning', meaning: 'one key for two config fields',
    why: 'Values are kept by key alone: both services get the value of the last field.',
    bad: app(key, {...key, label: 'Other key'}), good: app(key, {...key, key: 'OTHER_KEY'}),
    check: ({configFields}) =>
      findRepeats(configFields, ({item}) => item.key).map(({item: {item, path}}) => ({path: [...path, 'key'], message: `${item.key} is there twice; values are kept by key alone, so the last one wins. Use generateGroup for one secret under several keys`})),
  },
  {
    id: 'config-unused', severity: 'warning', meaning: 'a secret group that nothing shares',
    why: 'generateGroup gives several fields one secret, or signs tokens. With a single member and no token it does nothing: a second field is missing or misspelt.',
    bad: app({...key, generateGroup: 'session'}), good: app({...key, generateGroup: 'session'}, {...key, key: 'SESSION_KEY', generateGroup: 'session'}),
    check: findLonelyGroups,
  },
  {
    id: 'required-no-default', severity: 'warning', meaning: 'a required config field that nothing fills',
    why: 'No one is asked for it, so the install fails or the value is empty. Give it a default or a generator, or make it a setting.', alsoRaises: ['config-human-input'],
    bad: {app: {configFields: [{key: 'PASTE_NAME', service: 'web', label: 'Name', required: true}]}}, good: app({...key, required: true}),
    check: ({configFields}) =>
      configFields.filter(({item}) => item.required === true && item.generate === undefined && (item.default ?? '') === '').map(({item, path}) => ({path, message: `${item.key} is required, but has neither a default nor a generator`})),
  },
  {
    id: 'config-shadows-env', severity: 'info', meaning: 'a config field and an environment value of one key',
    why: 'The config field wins, so the value in environment is never seen.',
    bad: {app: {services: [{...web, environment: {PASTE_KEY: 'none'}}], configFields: [key]}}, good: app(key),
    check: ({configFields, findService}) =>
      configFields.filter(({item}) => Object.hasOwn(findService(item.service)?.environment ?? {}, item.key)).map(({item, path}) => ({path: [...path, 'key'], message: `${item.key} is also in the environment of ${item.service}; the config field wins`})),
  },
]

interface Generated {
  readonly generate?: 'secret' | 'jwt' | undefined
  readonly generateGroup?: string | undefined
  readonly jwtSecretGroup?: string | undefined
  readonly jwtRole?: string | undefined
}

function mismatches({generate, generateGroup, jwtSecretGroup, jwtRole}: Generated): string[] {
  return [
    ...(generateGroup !== undefined && generate !== 'secret' ? ['generateGroup'] : []),
    ...(jwtSecretGroup !== undefined && generate !== 'jwt' ? ['jwtSecretGroup'] : []),
    ...(jwtRole !== undefined && generate !== 'jwt' ? ['jwtRole'] : []),
  ]
}

function findIncompleteTokens({configFields, isComplete}: LintContext): Problem[] {
  return configFields.flatMap(({item, path}) => {
    if (item.generate !== 'jwt' || !isComplete('configFields.*.jwtRole', 'configFields.*.jwtSecretGroup')) return []
    const missing = (['jwtSecretGroup', 'jwtRole'] as const).filter((name) => (item[name] ?? '') === '')
    return missing.length === 0 ? [] : [{path, message: `${item.key} is a token without ${missing.join(' and ')}, so its value is empty`}]
  })
}

function findLonelyGroups({configFields, findClosest, isComplete}: LintContext): Problem[] {
  if (!isComplete('configFields')) return []
  const groups = new Map<string, number>()
  for (const {item} of configFields) if (item.generateGroup !== undefined) groups.set(item.generateGroup, (groups.get(item.generateGroup) ?? 0) + 1)
  const signing = new Set(configFields.map(({item}) => item.jwtSecretGroup))
  return configFields.flatMap(({item: {generate, generateGroup: group}, path}) => {
    if (group === undefined || generate !== 'secret' || signing.has(group) || (groups.get(group) ?? 0) > 1) return []
    const closest = findClosest(group, groups.keys())
    return [{path: [...path, 'generateGroup'], message: `nothing else uses the group ${group}; ${closest === undefined ? 'leave it out, or give it to another field' : `did you mean ${closest}?`}`, suggestion: closest}]
  })
}
