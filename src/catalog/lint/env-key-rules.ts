import type {JsonPath} from '../json-tree.js'
import type {LintContext} from './lint-context.js'
import type {Rule} from './rule.js'

const web = {name: 'web', image: 'ghcr.io/example/paste:1.4.2'}
const field = (key: string) => ({app: {configFields: [{key, service: 'web', label: 'Key', generate: 'secret', secret: true}]}})

/** Names of environment variables. */
export const envKeyRules: readonly Rule[] = [
  {
    id: 'env-key', severity: 'error', meaning: 'an environment key that no process can get',
    why: 'The name of a variable is not empty and holds neither = nor white space.',
    bad: {app: {services: [{...web, environment: {'PASTE NAME': 'paste'}}]}}, good: {app: {services: [{...web, environment: {PASTE_NAME: 'paste'}}]}},
    check: ({services}) =>
      services.flatMap(({item, path}) =>
        Object.keys(item.environment ?? {}).filter((key) => key === '' || /[=\s\0]/.test(key)).map((key) => ({path: [...path, 'environment', key], part: 'key' as const, message: `${JSON.stringify(key)} can not be the name of a variable; use letters, digits and underscores`})),
      ),
  },
  {
    id: 'env-key-form', severity: 'warning', meaning: 'a key that shells and placeholders can not name',
    why: 'Keys of config fields, settings, outputs and captured values are letters, digits and underscores, and do not start with a digit: {{config:KEY}} and shells know no others.',
    bad: field('PASTE-KEY'), good: field('PASTE_KEY'),
    check: (lint) => namedKeys(lint).filter(({key}) => !/^[A-Za-z_][A-Za-z0-9_]*$/.test(key)).map(({key, path}) => ({path, message: `${JSON.stringify(key)} is no plain variable name; use letters, digits and underscores`, suggestion: suggestKey(key)})),
  },
]

function namedKeys({configFields, settingFields, definition: {prepare = [], connection, requires = []}}: LintContext): {key: string; path: JsonPath}[] {
  return [
    ...[...configFields, ...settingFields.filter(({item}) => !item.key.includes('.'))].map(({item, path}) => ({key: item.key, path: [...path, 'key']})),
    ...prepare.flatMap(({persistAs}, index) => (persistAs === undefined ? [] : [{key: persistAs.key, path: ['prepare', index, 'persistAs', 'key']}])),
    ...(connection?.outputs ?? []).flatMap(({envKey}, index) => (envKey === undefined ? [] : [{key: envKey, path: ['connection', 'outputs', index, 'envKey']}])),
    ...requires.map(({envKey}, index) => ({key: envKey, path: ['requires', index, 'envKey']})),
  ]
}

function suggestKey(key: string): string | undefined {
  const plain = key.trim().replace(/[^A-Za-z0-9_]+/g, '_')
  return /^[A-Za-z_]/.test(plain) ? plain : undefined
}
