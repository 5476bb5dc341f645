import {rm} from 'node:fs/promises'
import type {Clock} from '../clock.js'
import type {Collection} from './collection.js'
import {copyStore} from './copy-store.js'
import {makePrivateFolder, replaceFile, syncFolder} from './disk.js'
import {lockHome} from './home-lock.js'
import {encodeLine} from './journal-format.js'
import {salvageStore, type Damage, type Salvaged} from './salvage.js'
import {SnapshotAdapter} from './snapshot-adapter.js'
import {storePaths, type StorePaths} from './store-files.js'
import {TextPool} from './text-pool.js'

export interface StoreInspection {
  /** Each place that can not be read; empty where nothing is wrong. */
  readonly damages: readonly Damage[]
  readonly lostTransactions: number
  readonly lostDocuments: number
  readonly unverifiedDocuments: number
  readonly tornBytes: number
  readonly kept: {readonly transactions: number; readonly documents: number}
}

/** What a repair would lose. Throws HOME_IN_USE while a daemon runs. Changes nothing. */
export async function inspectStore(home: string, collections: readonly Collection[]): Promise<StoreInspection> {
  return underLock(home, async paths => toInspection(await salvageStore(paths, collections)))
}

export interface RepairOptions {
  readonly home: string
  readonly collections: readonly Collection[]
  readonly clock: Clock
  readonly release?: string
}

/** Copies the files aside, then writes the store anew from what can be read. Where nothing is damaged nothing is done. */
export async function repairStore(options: RepairOptions): Promise<StoreInspection & {readonly copyFolder: string | null}> {
  const {home, collections, clock, release = null} = options
  return underLock(home, async paths => {
    const salvaged = await salvageStore(paths, collections)
    const inspection = toInspection(salvaged)
    if (salvaged.damages.length === 0) return {...inspection, copyFolder: null}
    const copyFolder = await copyStore(paths, 'damaged', clock)
    await rewrite(paths, salvaged, collections, release)
    return {...inspection, copyFolder}
  })
}

async function underLock<T>(home: string, work: (paths: StorePaths) => Promise<T>): Promise<T> {
  const lock = await lockHome(home)
  try {
    const paths = storePaths(home)
    await makePrivateFolder(paths.folder)
    return await work(paths)
  } finally {
    await lock.release()
  }
}

/** A crash on the way leaves damaged segments in place: the store is refused again, and repaired again. */
async function rewrite(paths: StorePaths, salvaged: Salvaged, collections: readonly Collection[], release: string | null): Promise<void> {
  const declared = new Map(collections.map(({name, version}) => [name, version]))
  const sequence = salvaged.lastSequence
  const versions: Record<string, number> = {}
  const snapshots: Record<string, number> = {}
  for (const [name, documents] of salvaged.documents) {
    const version = declared.get(name) ?? salvaged.versions.get(name) ?? 1
    const adapter = new SnapshotAdapter({
      path: paths.snapshot(name),
      collection: name,
      version: () => version,
      release,
      texts: new TextPool(),
      upgradeFrom: () => undefined,
    })
    await adapter.write({sequence, documents})
    versions[name] = version
    snapshots[name] = sequence
  }
  const segment = salvaged.lastSegment + 1
  const header = encodeLine(JSON.stringify({segment, after: sequence, versions, checkpoint: {first: segment, snapshots}, release}))
  await replaceFile(paths.segment(segment), append => append(Buffer.from(header)))
  for (const number of salvaged.segments) await rm(paths.segment(number))
  await syncFolder(paths.folder)
}

function toInspection(salvaged: Salvaged): StoreInspection {
  const {damages, lostTransactions, lostDocuments, unverifiedDocuments, tornBytes, readTransactions} = salvaged
  let documents = 0
  for (const each of salvaged.documents.values()) documents += each.size
  return {damages, lostTransactions, lostDocuments, unverifiedDocuments, tornBytes, kept: {transactions: readTransactions, documents}}
}
