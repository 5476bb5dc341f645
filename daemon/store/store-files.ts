import {readdir, rm} from 'node:fs/promises'
import {basename, join} from 'node:path'
import {Fault} from '../../src/contract/faults.js'

export interface StorePaths {
  readonly home: string
  readonly folder: string
  snapshot(collection: string): string
  segment(number: number): string
}

export function storePaths(home: string): StorePaths {
  const folder = join(home, 'store')
  return {
    home,
    folder,
    snapshot: collection => join(folder, `${collection}.jsonl`),
    segment: number => join(folder, `journal-${String(number).padStart(8, '0')}.log`),
  }
}

export interface StoreFiles {
  /** Numbers of the journal segments, ascending. */
  readonly segments: readonly number[]
  /** Names of the collections that have a snapshot. */
  readonly snapshots: readonly string[]
}

export async function listStoreFiles(paths: StorePaths): Promise<StoreFiles> {
  const names = await readdir(paths.folder)
  const segments = names.flatMap(name => /^journal-(\d{8,})\.log$/.exec(name)?.[1] ?? []).map(Number)
  const snapshots = names.flatMap(name => /^(.+)\.jsonl$/.exec(name)?.[1] ?? [])
  return {segments: segments.sort((left, right) => left - right), snapshots: snapshots.sort()}
}

/** What a crash left of files that were being written. */
export async function removeUnfinished(paths: StorePaths): Promise<void> {
  for (const name of await readdir(paths.folder)) {
    if (/\.[0-9a-f]{12}\.tmp$/.test(name)) await rm(join(paths.folder, name), {force: true})
  }
}

export function damaged(path: string, offset: number, reason: string, cause?: unknown): Fault {
  return new Fault('STORE_DAMAGED', `${basename(path)} of the store is damaged at byte ${offset}: ${reason}`, {
    details: {file: path, offset},
    suggestions: ['daemon repair'],
    cause,
  })
}
