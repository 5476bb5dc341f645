import {Fault} from '../../src/contract/faults.js'
import type {Clock} from '../clock.js'
import {Checkpointer, versionsOf} from './checkpointer.js'
import type {Collection} from './collection.js'
import {ViewReader} from './collection-view.js'
import {Committer, undeclared} from './committer.js'
import {copyStore} from './copy-store.js'
import {diskFault, makePrivateFolder} from './disk.js'
import {lockHome, type HomeLock} from './home-lock.js'
import {Journal} from './journal.js'
import {loadStore, type LoadedStore} from './load-store.js'
import {removeUnfinished, storePaths, type StorePaths} from './store-files.js'
import type {Log} from '../log.js'
import type {Store, StoreStatus, Transaction} from './store.js'

export interface FileStoreLimits {
  /** Size past which a journal segment is closed; 16 MiB unless given. */
  readonly segmentBytes?: number
}

export interface FileStoreOptions {
  readonly home: string
  readonly collections: readonly Collection[]
  readonly clock: Clock
  readonly log: Log
  /** The release of this program; a store it wrote tells an older one which release to use. */
  readonly release?: string
  readonly limits?: FileStoreLimits
}

export interface OpenReport {
  /** Bytes of a write that a crash interrupted, cut from the end of the journal. */
  readonly tornBytes: number
  readonly replayedTransactions: number
  readonly documents: number
  /** Collections whose documents were brought to a newer version, and where the files were copied before. */
  readonly upgraded: readonly string[]
  readonly backupFolder: string | null
}

const defaultSegmentBytes = 16 * 1024 * 1024

/** Opens the store of a home and holds the home until `close`. */
export async function openFileStore(options: FileStoreOptions): Promise<{store: Store; report: OpenReport}> {
  const paths = storePaths(options.home)
  const lock = await lockHome(options.home)
  try {
    await makePrivateFolder(paths.folder)
    await removeUnfinished(paths)
    return await open(options, paths, lock)
  } catch (error) {
    await lock.release()
    throw error instanceof Fault ? error : diskFault(error, 'opening the store')
  }
}

async function open(options: FileStoreOptions, paths: StorePaths, lock: HomeLock): Promise<{store: Store; report: OpenReport}> {
  const {collections, log, release = null, limits} = options
  const loaded = await loadStore(paths, collections, release)
  const backupFolder = loaded.upgraded.size > 0 ? await copyStore(paths, 'backup', options.clock) : null
  const journal = await Journal.open(paths, loaded.segments, loaded.goodBytes, loaded.tornBytes > 0)
  try {
    const committer: Committer = new Committer({...loaded, journal, log, afterBatch: () => checkpointer.rotateIfLarge()})
    const checkpointer: Checkpointer = new Checkpointer({
      ...loaded,
      journal,
      release,
      log,
      segmentBytes: limits?.segmentBytes ?? defaultSegmentBytes,
      durableSequence: () => committer.durableSequence,
      durableCheckpoint: () => committer.durableCheckpoint,
      writeCheckpoint: checkpoint => committer.writeCheckpoint(checkpoint),
    })
    if (needsSegment(loaded)) await checkpointer.startSegment()
    if (loaded.upgraded.size > 0) await checkpointer.rewrite(loaded.upgraded)
    const report = toReport(loaded, backupFolder)
    reportOpening(log, report)
    return {store: new FileStore(loaded, {committer, checkpointer, journal, lock}), report}
  } catch (error) {
    await journal.close()
    throw error
  }
}

/** A segment says the versions of the documents in it, so other versions need another segment. */
function needsSegment({lastHeader, states}: LoadedStore): boolean {
  if (lastHeader === null) return true
  const versions = Object.entries(versionsOf(states))
  return versions.some(([name, version]) => lastHeader.versions[name] !== version)
}

function toReport(loaded: LoadedStore, backupFolder: string | null): OpenReport {
  let documents = 0
  for (const state of loaded.states.values()) documents += state.documents.size
  const {tornBytes, replayedTransactions, upgraded} = loaded
  return {tornBytes, replayedTransactions, documents, upgraded: [...upgraded].sort(), backupFolder}
}

function reportOpening(log: Log, report: OpenReport): void {
  if (report.tornBytes > 0) {
    log.warn('a write that was never answered was cut from the end of the journal', {tornBytes: report.tornBytes})
  }
  if (report.backupFolder !== null) {
    log.info('documents were brought to a newer version; the files as they were are kept', {collections: report.upgraded.join(", "), folder: report.backupFolder})
  }
}

interface FileStoreParts {
  readonly committer: Committer
  readonly checkpointer: Checkpointer
  readonly journal: Journal
  readonly lock: HomeLock
}

class FileStore extends ViewReader implements Store {
  readonly #parts: FileStoreParts
  readonly #gate: {closed: boolean}
  #closing: Promise<void> | undefined

  constructor(loaded: LoadedStore, parts: FileStoreParts) {
    const gate = {closed: false}
    super(collection => {
      if (gate.closed) throw closedFault()
      const state = loaded.states.get(collection.name)
      if (state === undefined) throw undeclared(collection)
      return state
    })
    this.#gate = gate
    this.#parts = parts
  }

  async transaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    if (this.#closing !== undefined) throw closedFault()
    return this.#parts.committer.transaction(work)
  }

  onCommit(listener: (changed: ReadonlySet<string>) => void): () => void {
    return this.#parts.committer.onCommit(listener)
  }

  status(): StoreStatus {
    return this.#parts.committer.status
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    const {committer, checkpointer, journal, lock} = this.#parts
    await committer.drain()
    await checkpointer.stop()
    await committer.drain()
    this.#gate.closed = true
    await journal.close()
    await lock.release()
  }
}

function closedFault(): Fault {
  return new Fault('INTERNAL', 'the store is closed')
}
