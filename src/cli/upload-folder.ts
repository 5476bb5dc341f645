import path from 'node:path'
import type {Client} from '../client/client.js'
import {Fault} from '../contract/faults.js'
import type {TarEntry} from '../tree/tar-header.js'
import {listFolder} from './list-folder.js'
import type {Output} from './output.js'
import {packedSize, packFolder, sizeOfFiles, sizeOfTar} from './pack-folder.js'
import {formatBytes} from './time-text.js'

export interface UploadWish {
  readonly folder: string
  /** What the project is called. */
  readonly name: string
  /** Paths in the folder that are sent although `.dockerignore` leaves them out: another Compose file, another Dockerfile, files for the environment. */
  readonly keep?: readonly string[]
  readonly signal: AbortSignal
}

export interface UploadedFolder {
  readonly sessionId: string
  /** As they were sent. */
  readonly bytes: number
  readonly files: number
}

const namedAtMost = 5

/** Sends a folder to the daemon; the answer names the session that a project and a deployment are made from. */
export async function uploadFolder(api: Pick<Client, 'uploads'>, wish: UploadWish, out: Pick<Output, 'progress' | 'warn'>): Promise<UploadedFolder> {
  const {name, signal} = wish
  const folder = path.resolve(wish.folder)
  const {entries, leftOut} = await listFolder({folder, keep: wish.keep ?? [], signal})
  for (const {path: place, why} of leftOut.slice(0, namedAtMost)) out.warn(`${place} is not sent: ${why}`)
  if (leftOut.length > namedAtMost) out.warn(`${leftOut.length - namedAtMost} more are not sent`)
  if (!entries.some(({type}) => type === 'file')) throw new Fault('USAGE', `there is nothing to send in ${folder}`, {details: {folder}})
  const session = await api.uploads.open({body: {name}}, {signal})
  await refuseTooLarge({folder, entries, signal}, session.limitBytes)
  const total = formatBytes(sizeOfFiles(entries))
  const progress = out.progress(`sending ${folder} (${total} in ${entries.length} entries)`)
  try {
    const content = packFolder({folder, entries, signal, onRead: atMostOften((bytes) => progress.update(`sending ${folder}: ${formatBytes(bytes)} of ${total}`))})
    const sent = await api.uploads.send({params: {sessionId: session.sessionId}, headers: {'x-upload-ticket': session.upload.headers['x-upload-ticket']}, content}, {signal})
    progress.end(`sent ${sent.files} files, ${formatBytes(sent.bytes)} packed`)
    return {sessionId: session.sessionId, bytes: sent.bytes, files: sent.files}
  } catch (error) {
    progress.end()
    throw error
  }
}

// What gzip can not make smaller it makes larger by less than this.
const packedGrowth = 1.001

// What fits unpacked fits packed. Only a folder that does not is packed once more, to know before anything is sent.
async function refuseTooLarge(folder: {readonly folder: string; readonly entries: readonly TarEntry[]; readonly signal: AbortSignal}, limitBytes: number): Promise<void> {
  if (sizeOfTar(folder.entries) * packedGrowth <= limitBytes || (await packedSize(folder, limitBytes)) <= limitBytes) return
  const largest = largestParts(folder.entries)
  const message = `${folder.folder} is larger than the ${formatBytes(limitBytes)} that may be sent; leave out with .dockerignore what the build does not need. Largest: ${largest.join(', ')}`
  throw new Fault('PAYLOAD_TOO_LARGE', message, {details: {limitBytes, largest}})
}

function largestParts(entries: readonly TarEntry[]): string[] {
  const sizes = new Map<string, number>()
  for (const {path: place, size} of entries) {
    const [top = ''] = place.split('/')
    sizes.set(top, (sizes.get(top) ?? 0) + size)
  }
  return [...sizes].sort(([, a], [, b]) => b - a).slice(0, namedAtMost).map(([top, size]) => `${top} (${formatBytes(size)})`)
}

const redrawEveryBytes = 1_000_000

// A terminal is not written to for each piece.
function atMostOften(update: (bytes: number) => void): (bytes: number) => void {
  let shown = 0
  return (bytes) => {
    if (bytes - shown < redrawEveryBytes) return
    shown = bytes
    update(bytes)
  }
}
