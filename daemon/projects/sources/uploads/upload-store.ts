import {createHash, randomBytes, timingSafeEqual} from 'node:crypto'
import {mkdir, readdir, rm} from 'node:fs/promises'
import path from 'node:path'
import {Fault} from '../../../../src/contract/faults.js'
import {toInstant, type Clock} from '../../../clock.js'
import {newId} from '../../../store/ids.js'
import type {Store} from '../../../store/store.js'
import {UploadSessions, type UploadSession} from '../records.js'
import type {SourceTree} from '../source.js'
import {openArchive} from './open-archive.js'
import {receiveArchive, type ReceivedArchive} from './receive-archive.js'
import type {ArchiveLimits} from './unpacked.js'
import {uploadFault} from './upload-fault.js'
import {usedUploads} from './used-uploads.js'

export interface UploadParts {
  readonly store: Store
  readonly clock: Clock
  /** One folder an upload, named by its session. */
  readonly folder: string
  readonly limits: ArchiveLimits
}

export interface SessionWish {
  readonly organizationId: string
  readonly createdBy: string
  readonly name: string
  readonly packageManager: string | null
  readonly stack: string | null
}

const sessionMs = 60 * 60_000
const mostWaiting = 50

/** Uploads: their sessions, what was sent, and taking away what nobody needs. */
export class UploadStore {
  readonly #parts: UploadParts
  readonly #receiving = new Set<string>()

  constructor(parts: UploadParts) {
    this.#parts = parts
  }

  get limits(): ArchiveLimits {
    return this.#parts.limits
  }

  /** What a daemon that was killed in the middle of an upload has left behind does not stay. */
  async start(): Promise<void> {
    const {folder} = this.#parts
    await mkdir(folder, {recursive: true, mode: 0o700})
    for (const name of await readdir(folder)) if (name.endsWith('.part')) await rm(path.join(folder, name), {recursive: true, force: true})
  }

  /** Answers the ticket, which is kept as a hash only. */
  async open(wish: SessionWish): Promise<{session: UploadSession; ticket: string}> {
    const {store, clock} = this.#parts
    const ticket = randomBytes(32).toString('base64url')
    const session: UploadSession = {
      ...wish, id: newId('upl'), ticketHash: hash(ticket), bytes: null, files: null, receivedAt: null, createdAt: toInstant(clock.now()), expiresAt: toInstant(clock.now() + sessionMs),
    }
    await store.transaction(async (transaction) => {
      const others = await transaction.find(UploadSessions, 'organization', [wish.organizationId])
      if (others.filter((other) => !this.#isOver(other)).length >= mostWaiting) throw new Fault('CONFLICT', `${mostWaiting} uploads of the organization are under way; wait for one to expire`)
      await transaction.insert(UploadSessions, session)
    })
    return {session, ticket}
  }

  /** Takes the archive of a session in. */
  async receive(id: string, ticket: string | undefined, content: AsyncIterable<Uint8Array>): Promise<ReceivedArchive> {
    const {store, clock, limits} = this.#parts
    const session = await store.get(UploadSessions, id)
    if (session === undefined) throw new Fault('NOT_FOUND', 'Not found')
    if (!timingSafeEqual(Buffer.from(hash(ticket ?? '')), Buffer.from(session.ticketHash))) throw new Fault('FORBIDDEN', 'the header x-upload-ticket is not the one of this session')
    if (session.receivedAt !== null || this.#receiving.has(id)) throw new Fault('CONFLICT', 'this session has had its archive, or has it right now; begin another one')
    if (this.#isOver(session)) throw uploadFault('expired', 'the session is over; begin another one')
    this.#receiving.add(id)
    try {
      // Left by a daemon that was killed between the last byte and the record.
      await rm(this.#folderOf(id), {recursive: true, force: true})
      const received = await receiveArchive(content, {clock, limits, folder: this.#folderOf(id)})
      await this.#record(session, received)
      return received
    } finally {
      this.#receiving.delete(id)
    }
  }

  async #record(session: UploadSession, {bytes, files}: ReceivedArchive): Promise<void> {
    const {store, clock} = this.#parts
    try {
      await store.transaction((transaction) => transaction.put(UploadSessions, {...session, bytes, files, receivedAt: toInstant(clock.now())}))
    } catch (error) {
      await rm(this.#folderOf(session.id), {recursive: true, force: true})
      throw error
    }
  }

  /** The session of an upload that was sent, or why there is none. */
  async get(id: string, organizationId: string): Promise<UploadSession> {
    const session = await this.#parts.store.get(UploadSessions, id)
    if (session?.organizationId !== organizationId) throw new Fault('NOT_FOUND', 'Not found')
    if (session.receivedAt === null) throw uploadFault('missing', 'nothing has been sent to this upload session yet')
    return session
  }

  async openTree(id: string, organizationId: string, signal: AbortSignal): Promise<SourceTree> {
    return openArchive(this.#folderOf((await this.get(id, organizationId)).id), signal)
  }

  /** Takes away sessions that are over and that no project or kept release uses, and whatever belongs to no session. */
  async prune(): Promise<{deleted: number}> {
    const {store, folder} = this.#parts
    const used = await usedUploads(store)
    const gone: string[] = []
    for await (const session of store.all(UploadSessions)) {
      if (this.#isOver(session) && !used.has(session.id) && !this.#receiving.has(session.id)) gone.push(session.id)
    }
    await this.delete(gone)
    for (const name of await readdir(folder)) {
      const id = name.replace(/\.part$/, '')
      if (this.#receiving.has(id)) continue
      // Asked now: an archive may have come since the folder was listed.
      const session = await store.get(UploadSessions, id)
      if (name !== id || session === undefined || session.receivedAt === null) await rm(path.join(folder, name), {recursive: true, force: true})
    }
    return {deleted: gone.length}
  }

  async delete(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return
    await this.#parts.store.transaction(async (transaction) => {
      for (const id of ids) await transaction.delete(UploadSessions, id)
    })
    for (const id of ids) await rm(this.#folderOf(id), {recursive: true, force: true})
  }

  #isOver({expiresAt}: UploadSession): boolean {
    return Date.parse(expiresAt) <= this.#parts.clock.now()
  }

  // The id is one of the store, which makes them without anything that leads elsewhere.
  #folderOf(id: string): string {
    return path.join(this.#parts.folder, id)
  }
}

function hash(ticket: string): string {
  return createHash('sha256').update(ticket).digest('hex')
}
