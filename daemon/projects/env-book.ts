import {invalidInput} from '../../src/contract/faults.js'
import {valueMask, type EnvironmentType, type EnvVar} from '../../src/contract/env-var.js'
import {newId} from '../store/ids.js'
import type {Sealer} from '../store/secrets.js'
import type {StoreReader, Transaction} from '../store/store.js'
import {EnvVars, type EnvRecord} from './records.js'
import {envContext} from './sealed-fields.js'

/** Where variables belong: a project, or one of its services. */
export interface EnvScope {
  readonly organizationId: string
  readonly projectId: string
  readonly serviceId: string | null
  readonly environment: EnvironmentType
}

export interface EnvWish {
  readonly key: string
  readonly value: string
  readonly isSecret?: boolean | undefined
}

export interface EnvChange {
  readonly upserts: readonly EnvWish[]
  readonly deletes: readonly string[]
}

export async function envOf(reader: StoreReader, scope: EnvScope): Promise<EnvRecord[]> {
  return reader.find(EnvVars, 'scope', [scope.projectId, scope.serviceId ?? '', scope.environment])
}

/** The values in plain text, for a container or for somebody who may see them. */
export async function openEnv(reader: StoreReader, sealer: Sealer, scope: EnvScope): Promise<Record<string, string>> {
  const rows = await envOf(reader, scope)
  return Object.fromEntries(rows.map((row) => [row.key, sealer.open(row.value, envContext(row.id))]))
}

/** Sets and deletes the named keys and no others. The mask as a value keeps what is stored; without anything stored it is refused. */
export async function changeEnv(transaction: Transaction, sealer: Sealer, {scope, change, now}: {scope: EnvScope; change: EnvChange; now: string}): Promise<{upserted: number; deleted: number}> {
  refuseRepeats(change)
  const stored = new Map((await envOf(transaction, scope)).map((row) => [row.key, row]))
  for (const [index, wish] of change.upserts.entries()) {
    const before = stored.get(wish.key)
    if (wish.value === valueMask && before === undefined) {
      throw invalidInput([{path: `/upserts/${index}/value`, message: `is the mask, and nothing is stored for ${wish.key} that it could stand for`}])
    }
    await write(transaction, sealer, {scope, wish, before, now})
  }
  let deleted = 0
  for (const key of change.deletes) {
    const row = stored.get(key)
    if (row !== undefined && (await transaction.delete(EnvVars, row.id))) deleted += 1
  }
  return {upserted: change.upserts.length, deleted}
}

function refuseRepeats({upserts, deletes}: EnvChange): void {
  const seen = new Set<string>()
  for (const [index, {key}] of upserts.entries()) {
    if (seen.has(key)) throw invalidInput([{path: `/upserts/${index}/key`, message: `${key} is there twice`}])
    if (deletes.includes(key)) throw invalidInput([{path: `/upserts/${index}/key`, message: `${key} is to be set and deleted at once`}])
    seen.add(key)
  }
}

interface Write {
  readonly scope: EnvScope
  readonly wish: EnvWish
  readonly before: EnvRecord | undefined
  readonly now: string
}

async function write(transaction: Transaction, sealer: Sealer, {scope, wish, before, now}: Write): Promise<void> {
  const id = before?.id ?? newId('env')
  const keeps = before !== undefined && (wish.value === valueMask || sealer.open(before.value, envContext(id)) === wish.value)
  const isSecret = wish.isSecret ?? before?.isSecret ?? false
  if (keeps && isSecret === before.isSecret) return
  const record: EnvRecord = {
    id,
    organizationId: scope.organizationId,
    projectId: scope.projectId,
    serviceId: scope.serviceId ?? '',
    environment: scope.environment,
    key: wish.key,
    value: keeps ? before.value : sealer.seal(wish.value, envContext(id)),
    isSecret,
    createdAt: before?.createdAt ?? now,
    updatedAt: now,
  }
  await (before === undefined ? transaction.insert(EnvVars, record) : transaction.put(EnvVars, record))
}

/** A variable as it goes out. */
export function toEnvView(sealer: Sealer, row: EnvRecord): EnvVar {
  const {organizationId: _organization, projectId: _project, serviceId, value, ...fields} = row
  return {...fields, serviceId: serviceId === '' ? null : serviceId, value: row.isSecret ? valueMask : sealer.open(value, envContext(row.id))}
}
