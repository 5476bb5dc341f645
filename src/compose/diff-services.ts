import {valueMask} from '../contract/env-var.js'
import type {ComposeService} from './compose-model.js'
import {isSame} from './fingerprint.js'

export interface FieldChange {
  /** Such as `image`, `environment.TOKEN` or `others.mem_limit`. */
  readonly field: string
  /** Null where it was not there. Secrets are masked. */
  readonly from: unknown
  readonly to: unknown
}

export interface ServiceChange {
  readonly service: string
  readonly change: 'added' | 'removed' | 'changed'
  readonly fields: readonly FieldChange[]
}

/** What differs between two sets of services, by name. Values of environments, of arguments of builds and of files never show. */
export function diffServices(before: readonly ComposeService[], after: readonly ComposeService[]): readonly ServiceChange[] {
  const names = [...new Set([...before, ...after].map(({name}) => name))].sort()
  const secrets = secretsOf([...before, ...after])
  return names.flatMap((name): ServiceChange[] => {
    const [old, now] = [before, after].map((services) => services.find((service) => service.name === name))
    if (old === undefined) return [{service: name, change: 'added', fields: []}]
    if (now === undefined) return [{service: name, change: 'removed', fields: []}]
    const fields = diffFields(old, now).map(({field, from, to}) => ({field, from: mask(field, from, secrets), to: mask(field, to, secrets)}))
    return fields.length === 0 ? [] : [{service: name, change: 'changed', fields}]
  })
}

const asMaps = new Set(['environment', 'labels', 'networks', 'others', 'build', 'healthcheck', 'build.args'])

function diffFields(before: object, after: object, above = ''): FieldChange[] {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return keys.flatMap((key): FieldChange[] => {
    const [from, to] = [ownValue(before, key), ownValue(after, key)]
    const field = `${above}${key}`
    if (isSame(from ?? null, to ?? null)) return []
    return asMaps.has(field) && isObject(from) && isObject(to) ? diffFields(from, to, `${field}.`) : [{field, from: from ?? null, to: to ?? null}]
  })
}

function ownValue(holder: object, key: string): unknown {
  return Object.hasOwn(holder, key) ? Reflect.get(holder, key) : undefined
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function mask(field: string, value: unknown, secrets: readonly string[]): unknown {
  if (value === null) return null
  if (/^environment\.|^build\.args(?:\.|$)/.test(field)) return isObject(value) ? mapTexts(value, () => valueMask) : value === '' ? '' : valueMask
  if (field === 'files' && Array.isArray(value)) return value.map((file: object) => ({...file, content: valueMask}))
  if (field === 'build' && isObject(value)) return {...value, args: mapTexts(ownValue(value, 'args'), () => valueMask)}
  return mapTexts(value, (text) => secrets.reduce((masked, secret) => masked.replaceAll(secret, valueMask), text))
}

function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value)
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change))
  return isObject(value) ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, mapTexts(inner, change)])) : value
}

const shortest = 6

// People repeat a password of the environment in commands and health checks.
function secretsOf(services: readonly ComposeService[]): readonly string[] {
  const values = services.flatMap(({environment}) => Object.entries(environment).flatMap(([name, value]) => (/pass|pwd|secret|token|key|credential|auth|private|salt|dsn|url/i.test(name) ? [value] : [])))
  return [...new Set(values)].filter((value) => value.length >= shortest).sort((a, b) => b.length - a.length)
}
