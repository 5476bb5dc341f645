import {readFile} from 'node:fs/promises'
import path from 'node:path'
import {Fault} from '../contract/faults.js'
import {isMissing} from './contexts.js'

/** What a running daemon writes about itself into its home. */
export interface DaemonRecord {
  readonly pid: number
  readonly url: string
  readonly version: string
  readonly startedAt: string
}

export const daemonRecordName = 'daemon.json'

/** The record of the daemon of a home, if that daemon is alive. */
export async function findDaemon(home: string): Promise<DaemonRecord | undefined> {
  const text = await readIfThere(path.join(home, daemonRecordName))
  const record = text === undefined ? undefined : parseRecord(text)
  return record !== undefined && isAlive(record.pid) ? record : undefined
}

/** The token that the daemon keeps for commands on its machine. `denied`: it is there, and not for this user. */
export async function readLocalToken(home: string): Promise<{readonly token?: string; readonly denied: boolean}> {
  try {
    const token = (await readFile(path.join(home, 'local-token'), 'utf8')).trim()
    return token === '' ? {denied: false} : {token, denied: false}
  } catch (error) {
    if (isMissing(error)) return {denied: false}
    if (isDenied(error)) return {denied: true}
    throw new Fault('CONFIGURATION', `can not read ${path.join(home, 'local-token')}`, {cause: error})
  }
}

/** Whether a process of this id is there; one of another user counts. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if (isMissing(error) || isDenied(error)) return undefined
    throw new Fault('CONFIGURATION', `can not read ${file}`, {details: {file}, cause: error})
  }
}

// A record that does not parse is one of a daemon that died while it wrote it, or of something else: no daemon to talk to.
function parseRecord(text: string): DaemonRecord | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  if (typeof value !== 'object' || value === null) return undefined
  const {pid, url, version, startedAt} = value as Record<string, unknown>
  if (typeof pid !== 'number' || !Number.isInteger(pid) || pid < 1 || typeof url !== 'string' || !URL.canParse(url)) return undefined
  return {pid, url, version: String(version ?? ''), startedAt: String(startedAt ?? '')}
}

function isDenied(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'EACCES' || error.code === 'EPERM')
}
