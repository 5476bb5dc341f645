import {randomBytes} from 'node:crypto'
import {fdatasync, ftruncate, write} from 'node:fs'
import {chmod, link, mkdir, open, readFile, rename, rm} from 'node:fs/promises'
import {dirname} from 'node:path'
import {Fault} from '../../src/contract/faults.js'

// Raw descriptors with callbacks: the promise handles of node:fs cost a fifth of the write rate.

/** Writes all of it, however many calls that takes. `position` null appends where the descriptor stands. */
export async function writeAll(fd: number, bytes: Buffer, position: number | null): Promise<void> {
  let done = 0
  while (done < bytes.length) {
    done += await writeSome(fd, bytes, done, position === null ? null : position + done)
  }
}

function writeSome(fd: number, bytes: Buffer, from: number, position: number | null): Promise<number> {
  return new Promise((resolve, reject) => {
    write(fd, bytes, from, bytes.length - from, position, (error, written) => (error ? reject(error) : resolve(written)))
  })
}

export function syncData(fd: number): Promise<void> {
  return new Promise((resolve, reject) => fdatasync(fd, error => (error ? reject(error) : resolve())))
}

/** Cuts a file and makes the cut durable. */
export async function cutFile(fd: number, length: number): Promise<void> {
  await new Promise<void>((resolve, reject) => ftruncate(fd, length, error => (error ? reject(error) : resolve())))
  await syncData(fd)
}

/** A new, removed or renamed file is there after a crash only when its folder was synced. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Creates or replaces a file as one step: temporary file (0600), fsync, rename, fsync of the folder. */
export async function replaceFile(path: string, produce: (append: (bytes: Buffer) => Promise<void>) => Promise<void>): Promise<void> {
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`
  const handle = await open(temporary, 'wx', 0o600)
  try {
    try {
      await produce(bytes => writeAll(handle.fd, bytes, null))
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, {force: true})
    throw error
  }
  await syncFolder(dirname(path))
}

export async function makePrivateFolder(path: string): Promise<void> {
  await mkdir(path, {recursive: true, mode: 0o700})
}

export function isDiskFull(error: unknown): boolean {
  return ['ENOSPC', 'EDQUOT', 'EFBIG'].includes(systemCode(error) ?? '')
}

/** The fault for a failed write: 507 where there is no room, else 500. */
export function diskFault(error: unknown, what: string): Fault {
  const code = systemCode(error)
  if (isDiskFull(error)) {
    return new Fault('STORE_FULL', `${what} failed: the disk of the daemon is full; nothing was changed`, {cause: error})
  }
  return new Fault('INTERNAL', `${what} failed: ${[code ?? 'the disk did not take it', systemPath(error)].join(' ').trim()}; nothing was changed`, {cause: error})
}

function systemPath(error: unknown): string {
  return error instanceof Error && 'path' in error && typeof error.path === 'string' ? error.path : ''
}

export function systemCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}

/** Makes a file that only its owner reads, unless it is there; answers what it holds. Of two that make it at once one does: a link never replaces. */
export async function makeFileOnce(path: string, text: string): Promise<string> {
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`
  const handle = await open(temporary, 'wx', 0o600)
  try {
    await handle.writeFile(text)
    await handle.sync()
    await handle.close()
    await link(temporary, path)
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error
    return await readFile(path, 'utf8')
  } finally {
    await rm(temporary, {force: true})
  }
  await chmod(path, 0o600)
  await syncFolder(dirname(path))
  return text
}
