import {valueMask} from '../contract/env-var.js'
import {isSame} from './fingerprint.js'
import type {ServiceFields} from './to-service-fields.js'

export interface DriftChange {
  readonly field: keyof ServiceFields
  /** The variable or the advanced setting; null for fields that are one value. */
  readonly key: string | null
  /** What the Compose file said before and says now; undefined where it said nothing. Values of variables are masked. */
  readonly from: unknown
  readonly to: unknown
}

export interface UpstreamMerge {
  readonly row: ServiceFields
  readonly drift: readonly DriftChange[]
}

export interface UpstreamVersions {
  /** What the Compose file said when it was last taken over; null for a service that was made by hand. */
  readonly before: ServiceFields | null
  readonly now: ServiceFields
  /** Fields in which the row and the file had drifted apart before. */
  readonly drifted?: readonly string[]
}

const keyed = ['environment', 'advanced'] as const
const whole = ['image', 'build', 'dockerfile', 'ports', 'volumes', 'dependsOn', 'command', 'commandArgv', 'restart'] as const

/**
 * Lets a row follow the Compose file of its source: what nobody edited takes the new value, what was edited keeps its own, and where the file
 * changed the same thing too, that is named. Variables and advanced settings are looked at one by one.
 */
export function mergeUpstream(row: ServiceFields, versions: UpstreamVersions): UpstreamMerge {
  const {before, now, drifted = []} = versions
  const drift: DriftChange[] = []
  const decide = (field: keyof ServiceFields, key: string | null, [mine, old, upstream]: readonly [unknown, unknown, unknown]): unknown => {
    if (isSame(mine, upstream)) return upstream
    if (before !== null && isSame(mine, old)) return upstream
    if (!isSame(old, upstream) || before === null || drifted.includes(field)) drift.push({field, key, from: shown(field, old), to: shown(field, upstream)})
    return mine
  }
  const fields = whole.map((field) => [field, decide(field, null, [row[field], before?.[field], now[field]])] as const)
  const maps = keyed.map((field) => {
    const names = [...new Set([...Object.keys(row[field]), ...Object.keys(now[field])])]
    const values = names.map((name) => [name, decide(field, name, [own(row[field], name), own(before?.[field], name), own(now[field], name)])] as const)
    return [field, Object.fromEntries(values.filter(([, value]) => value !== undefined))] as const
  })
  return {row: {...row, ...Object.fromEntries([...fields, ...maps])}, drift}
}

/** The names of fields that drifted, each once. */
export function driftedFields(drift: readonly DriftChange[]): readonly string[] {
  return [...new Set(drift.map(({field}) => field))]
}

function own(record: Readonly<Record<string, unknown>> | undefined, key: string): unknown {
  return record !== undefined && Object.hasOwn(record, key) ? record[key] : undefined
}

function shown(field: string, value: unknown): unknown {
  return field === 'environment' && typeof value === 'string' && value !== '' ? valueMask : value
}
