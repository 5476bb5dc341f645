import type {AppDefinition, ConfigField} from './definition.js'
import type {EnvironmentRow} from './inline-config.js'
import {groupOf, isSecretField, type ValueRow} from './resolve-values.js'

/** A value that a Compose file takes from the environment of whoever runs it. */
export interface ComposeVariable {
  readonly name: string
  readonly service: string
  readonly key: string
}

/** The variables of secrets and of generated values; fields that share a value share the variable. The same for a definition every time. */
export function composeVariables(definition: AppDefinition): ComposeVariable[] {
  const names = new Map<string, string>()
  const fields = (definition.configFields ?? []).filter((field) => field.generate !== undefined || isSecretField(field, definition))
  const isField = ({service, key}: {service: string; key: string}): boolean => definition.configFields?.some((field) => field.service === service && field.key === key) === true
  const settings = (definition.settings ?? []).flatMap((group) => group.fields).filter((setting) => setting.secret === true && !isField(setting))
  const wanted = [
    ...fields.map((field) => ({service: field.service, key: field.key, share: shareOf(field)})),
    ...settings.map(({service, key}) => ({service, key, share: `setting ${service}\n${key}`})),
  ]
  return wanted.map(({service, key, share}) => {
    const name = names.get(share) ?? freeName(variableName(key), new Set(names.values()))
    names.set(share, name)
    return {name, service, key}
  })
}

function shareOf(field: ConfigField): string {
  return field.generate === 'secret' ? `secret ${groupOf(field)}` : `${field.generate ?? 'given'} ${field.key}`
}

// Names that Compose, Docker or the shell take as their own.
const taken = /^(?:COMPOSE|DOCKER|BUILDKIT|BUILDX|LD|LC|SSH|XDG)_|^(?:PATH|HOME|USER|SHELL|PWD|LANG|TERM|HOSTNAME|TMPDIR)$/i

function variableName(key: string): string {
  const plain = key.replace(/\W/g, '_')
  return taken.test(plain) || !/^[A-Za-z_]/.test(plain) ? `APP_${plain}` : plain
}

function freeName(name: string, used: ReadonlySet<string>): string {
  let free = name
  for (let number = 2; used.has(free); number += 1) free = `${name}_${number}`
  return free
}

const [opening, closing] = ['\uE000', '\uE001']

/** What stands in a rendered text where a variable belongs. No text of a definition has reason to hold it. */
export function standInFor(name: string): string {
  return `${opening}${name}${closing}`
}

/** Text for a Compose file: dollar signs stay dollar signs, and stand-ins become the variables. */
export function toComposeText(text: string, variables: ReadonlySet<string>): string {
  return text.replace(/\$/g, '$$$$').replace(/\uE000(\w+)\uE001/g, (whole, name: string) => (variables.has(name) ? `\${${name}}` : whole))
}

/** Rows with something else in their place, wherever there is something to hide. */
export function replaceValues<R extends ValueRow | EnvironmentRow>(rows: readonly R[], standIn: (row: R) => string | undefined): R[] {
  return rows.map((row) => (row.value === '' ? row : {...row, value: standIn(row) ?? row.value}))
}
