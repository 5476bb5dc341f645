import {createHash, randomBytes} from 'node:crypto'
import {readFile} from 'node:fs/promises'
import {join} from 'node:path'
import {Fault} from '../../src/contract/faults.js'
import {makeFileOnce, makePrivateFolder, systemCode} from './disk.js'
import {listStoreFiles, storePaths} from './store-files.js'

export interface InstanceKey {
  /** Stands beside every value that was sealed with it; tells nothing of the key. */
  readonly id: string
  readonly bytes: Buffer
}

/** The key that seals, and those that only open what was sealed before. */
export interface InstanceKeys {
  readonly current: InstanceKey
  readonly older: readonly InstanceKey[]
}

export interface InstanceKeySources {
  readonly home: string
  /** Value of MOORAGE_SECRET_KEY: 32 bytes in base64 or hex; several, separated by commas, newest first, while they are rotated. */
  readonly secretKey?: string | undefined
  /** Folder of systemd credentials, with a file `secret.key`. */
  readonly credentialsDirectory?: string | undefined
}

const keyLength = 32
const fileName = 'secret.key'

/**
 * Variable before credential before the file of the home; the others still open what they sealed. The file is created once, before the
 * store: call this before the store is opened.
 */
export async function loadInstanceKey(sources: InstanceKeySources): Promise<InstanceKeys> {
  const {home, secretKey, credentialsDirectory} = sources
  const path = join(home, fileName)
  const texts = [
    ...(secretKey === undefined ? [] : secretKey.split(',').map(text => ({text, where: 'MOORAGE_SECRET_KEY'}))),
    ...(await keyFile(credentialsDirectory === undefined ? undefined : join(credentialsDirectory, fileName))),
    ...(await keyFile(path)),
  ]
  if (texts.length === 0) texts.push({text: await createKeyFile(home, path), where: path})
  const [current, ...older] = texts.map(({text, where}) => parseInstanceKey(text, where))
  if (current === undefined) throw new Fault('CONFIGURATION', 'there is no secret key')
  return {current, older: older.filter(({id}) => id !== current.id)}
}

export function parseInstanceKey(text: string, where: string): InstanceKey {
  const trimmed = text.trim()
  const bytes = /^[0-9a-f]{64}$/i.test(trimmed) ? Buffer.from(trimmed, 'hex') : /^[A-Za-z0-9+/_-]{43}=?$/.test(trimmed) ? Buffer.from(trimmed, 'base64') : null
  if (bytes === null || bytes.length !== keyLength) {
    throw new Fault('CONFIGURATION', `the secret key of ${where} must be 32 bytes in base64 or hex, as \`openssl rand -base64 32\` prints them`)
  }
  return {id: createHash('sha256').update('moorage instance key\0').update(bytes).digest('base64url').slice(0, 12), bytes}
}

async function keyFile(path: string | undefined): Promise<{text: string; where: string}[]> {
  if (path === undefined) return []
  try {
    return [{text: await readFile(path, 'utf8'), where: path}]
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return []
    throw new Fault('CONFIGURATION', `the secret key in ${path} can not be read: ${systemCode(error) ?? 'unknown error'}`, {cause: error})
  }
}

async function createKeyFile(home: string, path: string): Promise<string> {
  await makePrivateFolder(home)
  await refuseOverData(home, path)
  return makeFileOnce(path, `${randomBytes(keyLength).toString('base64')}\n`)
}

/** A new key would make every stored secret unreadable and look like a fresh start. */
async function refuseOverData(home: string, path: string): Promise<void> {
  try {
    const {segments, snapshots} = await listStoreFiles(storePaths(home))
    if (segments.length === 0 && snapshots.length === 0) return
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return
    throw error
  }
  throw new Fault('CONFIGURATION', `${path} is missing, but the store holds data that was sealed with it: put the file back, or give MOORAGE_SECRET_KEY`)
}
