import {findPlaceholders} from '../placeholders.js'
import type {JsonPath} from '../json-tree.js'
import type {LintContext} from './lint-context.js'
import {sourceParts} from './value-sources.js'
import type {Problem, Rule} from './rule.js'

const web = {name: 'web', image: 'ghcr.io/example/paste:1.4.2'}
const key = {key: 'DB_PASSWORD', service: 'web', label: 'Database password', generate: 'secret', secret: true}
const url = {...web, environment: {DB_URL: 'postgres://paste:{{config:DB_PASSWORD}}@db/paste'}}

/** Secrets that would be shown, or shared by all who install. */
export const secretRules: readonly Rule[] = [
  {
    id: 'secret-in-plain', severity: 'warning', meaning: 'a secret written into the definition',
    why: 'Everyone can read it, and every install gets the same. Make a config field with generate and secret, and inline it with {{config:KEY}} where needed.',
    bad: {app: {services: [{...web, environment: {DB_PASSWORD: 'hunter2'}}]}}, good: {app: {configFields: [key]}},
    check: findPlainSecrets,
  },
  {
    id: 'secret-not-listed', severity: 'warning', meaning: 'an environment value that holds a secret, but is not listed in secretEnv',
    why: 'It is kept with the plain values and shown with them. Add its key to secretEnv of the service.',
    bad: {app: {services: [url], configFields: [key]}}, good: {app: {services: [{...url, secretEnv: ['DB_URL']}], configFields: [key]}},
    check: findUnlisted,
  },
  {
    id: 'secretenv-unknown', severity: 'warning', meaning: 'a secretEnv key that has no value',
    why: 'It is listed as a secret, but neither environment nor a config field, setting or prepare step gives it a value.',
    bad: {app: {services: [{...web, secretEnv: ['DB_PASWORD']}], configFields: [key]}}, good: {app: {services: [{...web, secretEnv: ['DB_PASSWORD']}], configFields: [key]}},
    check: ({services, sources, isComplete}) => {
      if (!isComplete(...sourceParts)) return []
      return services.flatMap(({item, path}) =>
        (item.secretEnv ?? []).flatMap((name, index) => (sources.get(item.name)?.has(name) === true ? [] : [{path: [...path, 'secretEnv', index], message: `${name} has no value: no environment entry, config field or setting of ${item.name} has this key`}])),
      )
    },
  },
]

function findUnlisted({services, configFields, isComplete}: LintContext): Problem[] {
  const secret = new Set(configFields.filter(({item}) => item.secret === true).map(({item}) => item.key))
  if (!isComplete('services.*.secretEnv')) return []
  return services.flatMap(({item: {environment = {}, secretEnv = []}, path}) =>
    Object.entries(environment).flatMap(([name, text]) => {
      const held = findPlaceholders(text).find((part) => part.kind === 'config' && secret.has(part.key))
      return held?.kind !== 'config' || secretEnv.includes(name) ? [] : [{path: [...path, 'environment', name], message: `${name} holds the secret ${held.key}; add it to secretEnv`}]
    }),
  )
}

function findPlainSecrets({services, configFields, settingFields, definition}: LintContext): Problem[] {
  const advice = 'make it a config field with generate and secret'
  const environment = services.flatMap(({item, path}) =>
    Object.entries(item.environment ?? {}).flatMap(([name, text]) => {
      const isSecret = isSecretName(name) || item.secretEnv?.includes(name) === true ? isLiteral(text) : holdsSecret(text)
      return isSecret ? [{path: [...path, 'environment', name], message: `${name} looks like a secret in plain text, the same for everyone; ${advice}`}] : []
    }),
  )
  const defaults = [...configFields, ...settingFields].flatMap(({item, path}) => {
    const isSecret = item.secret === true || item.type === 'password' ? isLiteral(item.default ?? '') : holdsSecret(item.default ?? '')
    return isSecret && !('generate' in item && item.generate !== undefined) ? [{path: [...path, 'default'], message: `${item.key} is a secret with a default, the same for everyone; ${'generate' in item ? advice : 'leave the default out'}`}] : []
  })
  const files = [...(definition.files ?? []).map(({content}, index) => ({content, path: ['files', index, 'content'] as JsonPath}))].filter(({content}) => knownSecret.test(content))
  return [...environment, ...defaults, ...files.map(({path}) => ({path, message: 'the file holds a private key or a token, the same for everyone'}))]
}

const secretName = /(?:^|_)(?:PASSWORD|PASSWD|PASSPHRASE|PASS|PWD|SECRET|TOKEN|API_?KEY|SECRET_?KEY(?:_BASE)?|ACCESS_KEY|PRIVATE_KEY|ENCRYPTION_KEY|MASTER_KEY|SIGNING_KEY|AUTH_KEY|SALT)$/i
const switches = /^(?:true|false|yes|no|on|off|0|1|none|null|auto|enabled?|disabled?|default|required|optional|random|)$/i

function isSecretName(name: string): boolean {
  return secretName.test(name) && !/^(?:DISABLE|ENABLE|ALLOW|USE|REQUIRE|REQUIRES|SHOW|HIDE)_|_(?:DISABLE|ENABLE|ALLOW)_/i.test(name)
}

// Paths, addresses without credentials and references are no secrets, whatever the key is called.
function isLiteral(text: string): boolean {
  const value = text.trim()
  if (switches.test(value) || value.includes('{{') || /^\$\{?[A-Z_]/.test(value)) return false
  return !/^(?:\/|\.\/|file:)/.test(value) && (!/^[a-z][a-z0-9+.-]*:\/\//i.test(value) || holdsSecret(value))
}

const knownSecret = /-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----|\b(?:ghp|gho|ghs|github_pat|glpat|xox[abp])[_-][A-Za-z0-9_-]{16,}|\bAKIA[0-9A-Z]{16}\b|\bsk-[A-Za-z0-9_-]{20,}/

// Credentials in an address, and the forms of well-known tokens.
function holdsSecret(text: string): boolean {
  if (knownSecret.test(text)) return true
  const [, password] = /^[a-z][a-z0-9+.-]*:\/\/[^\s/:@]*:([^\s/@]+)@/i.exec(text.replace(/\{\{[^{}]*\}\}/g, '')) ?? []
  return password !== undefined && !password.startsWith('$')
}
