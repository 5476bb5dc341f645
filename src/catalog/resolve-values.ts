import {configReferences} from './config-references.js'
import type {AppDefinition, ConfigField} from './definition.js'
import {generateSecret, signJwt, type RandomBytes} from './generate-values.js'

/** An environment entry that was written before. */
export interface StoredValue {
  /** Null for one of the whole project. */
  readonly service: string | null
  readonly key: string
  /** Null where it is there and can not be read. */
  readonly value: string | null
}

/** What a config field comes to. An empty value is written nowhere. */
export interface ValueRow {
  readonly service: string
  readonly key: string
  readonly value: string
  readonly isSecret: boolean
  readonly isGenerated: boolean
}

/** stored: there already; unreadable: there, and it or its group can not be read; inlined: copies of it were written, and a new one would differ from them. */
export type KeptReason = 'stored' | 'unreadable' | 'inlined'

export interface KeptValue {
  readonly service: string
  readonly key: string
  readonly reason: KeptReason
}

export interface ResolvedValues {
  /** In the order of the fields, with what is stored already and with empty ones. */
  readonly rows: readonly ValueRow[]
  /** The rows that are new. */
  readonly writes: readonly ValueRow[]
  readonly kept: readonly KeptValue[]
  /** Required fields that came to nothing. */
  readonly missing: readonly ConfigField[]
}

export interface ValueSources {
  /** What a person gave, by key. */
  readonly config: Readonly<Record<string, string>>
  readonly stored: readonly StoredValue[]
  /** Services that were made before, with the copies of values that their texts hold. */
  readonly madeServices: readonly string[]
  readonly random: RandomBytes
  readonly nowMs: number
}

/** The values of the config fields at an install. What is stored stays as it is. */
export function resolveValues(definition: AppDefinition, sources: ValueSources): ResolvedValues {
  return resolveFields(definition.configFields ?? [], definition, sources)
}

/** Generated values that an earlier install should have stored and did not, as far as making them now breaks nothing. */
export function backfillValues(definition: AppDefinition, sources: Pick<ValueSources, 'stored' | 'random' | 'nowMs'>): ResolvedValues {
  const generated = (definition.configFields ?? []).filter(({generate}) => generate !== undefined)
  const madeServices = (definition.services ?? []).map(({name}) => name)
  return resolveFields(generated, definition, {...sources, config: {}, madeServices})
}

/** What {{config:KEY}} stands for. Of two fields with one key the last counts. */
export function valuesByKey(rows: readonly ValueRow[]): ReadonlyMap<string, ValueRow> {
  return new Map(rows.map((row) => [row.key, row]))
}

// A value, or why there is none.
type Outcome = {readonly value: string; readonly isStored: boolean} | {readonly value: null; readonly reason: KeptReason}

function resolveFields(fields: readonly ConfigField[], definition: AppDefinition, sources: ValueSources): ResolvedValues {
  const outcomeOf = createResolver(definition, sources)
  const rows: ValueRow[] = []
  const writes = new Map<string, ValueRow>()
  const kept: KeptValue[] = []
  const missing: ConfigField[] = []
  for (const field of fields) {
    const {service, key, generate} = field
    const outcome = outcomeOf(field)
    if (outcome.value === null) {
      kept.push({service, key, reason: outcome.reason})
      continue
    }
    const row = {service, key, value: outcome.value, isSecret: isSecretField(field, definition), isGenerated: generate !== undefined}
    rows.push(row)
    if (outcome.isStored) kept.push({service, key, reason: 'stored'})
    else if (row.value !== '') writes.set(`${service}\n${key}`, row)
    if (field.required === true && row.value === '') missing.push(field)
  }
  return {rows, writes: [...writes.values()], kept, missing}
}

/** Whether the value of a field is kept as a secret. */
export function isSecretField({service, key, secret}: ConfigField, {services = []}: AppDefinition): boolean {
  return secret === true || services.some(({name, secretEnv = []}) => name === service && secretEnv.includes(key))
}

function createResolver(definition: AppDefinition, {config, stored, madeServices, random, nowMs}: ValueSources): (field: ConfigField) => Outcome {
  const copies = configReferences(definition)
  const isCopied = (key: string): boolean => madeServices.some((service) => copies.get(key)?.has(service))
  const findStored = ({service, key}: ConfigField): StoredValue | undefined =>
    stored.find((entry) => entry.key === key && entry.service === service) ?? stored.find((entry) => entry.key === key && entry.service === null)
  const groups = groupFields(definition.configFields ?? [])
  const secrets = new Map<string, Outcome>()

  const decideSecret = (members: readonly ConfigField[]): Outcome => {
    const found = members.map(findStored).filter((entry) => entry !== undefined)
    const readable = found.find(({value}) => value !== null)?.value
    if (readable != null) return {value: readable, isStored: false}
    if (found.length > 0) return {value: null, reason: 'unreadable'}
    if (members.some(({key}) => isCopied(key))) return {value: null, reason: 'inlined'}
    return {value: generateSecret(random), isStored: false}
  }
  // One secret for all fields of a group: what is stored of it, whichever service it is stored for.
  const secretOf = (group: string): Outcome => {
    const outcome = secrets.get(group) ?? decideSecret(groups.get(group) ?? [])
    secrets.set(group, outcome)
    return outcome
  }
  const tokenOf = ({key, jwtRole = '', jwtSecretGroup = ''}: ConfigField): Outcome => {
    const group = groups.has(jwtSecretGroup) ? secretOf(jwtSecretGroup) : {value: '', isStored: false}
    if (group.value === null || group.value === '' || jwtRole === '') return group.value === null ? group : {value: '', isStored: false}
    if (isCopied(key)) return {value: null, reason: 'inlined'}
    return {value: signJwt({role: jwtRole, secret: group.value, nowMs}), isStored: false}
  }

  return (field) => {
    const entry = findStored(field)
    // Whatever is stored is the only copy there may be: one that can not be read today is no reason to replace it.
    if (entry !== undefined) return entry.value === null ? {value: null, reason: 'unreadable'} : {value: entry.value, isStored: true}
    if (field.generate === 'secret') return secretOf(groupOf(field))
    if (field.generate === 'jwt') return tokenOf(field)
    const given = Object.hasOwn(config, field.key) ? config[field.key] : undefined
    return {value: given ?? field.default ?? '', isStored: false}
  }
}

/** Fields of one group share their secret, and so do fields of one key, as {{config:KEY}} can only stand for one. */
export function groupOf({key, generateGroup}: ConfigField): string {
  return generateGroup ?? `key ${key}`
}

function groupFields(fields: readonly ConfigField[]): ReadonlyMap<string, readonly ConfigField[]> {
  const groups = new Map<string, ConfigField[]>()
  for (const field of fields) {
    if (field.generate === 'secret') groups.set(groupOf(field), [...(groups.get(groupOf(field)) ?? []), field])
  }
  return groups
}
