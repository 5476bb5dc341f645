import {chmod, readFile, writeFile} from 'node:fs/promises'
import path from 'node:path'
import {Fault} from '../../src/contract/faults.js'
import {toInstant, type Clock} from '../clock.js'
import {newId} from '../store/ids.js'
import type {Store, Transaction} from '../store/store.js'
import {isLive} from './authenticate.js'
import {tokenRecord} from './mint-token.js'
import {Members, Organizations, Tokens, Users} from './records.js'
import {hashTokenSecret, isTokenSecret, newTokenSecret} from './token-secret.js'

export interface FirstStart {
  readonly store: Store
  readonly clock: Clock
  readonly home: string
  readonly tokenPrefix: string
  /** Presets the first token, for provisioning. */
  readonly bootstrapToken: string | undefined
  /** Called inside the transaction that makes the organization. */
  readonly onOrganization: (transaction: Transaction, organizationId: string) => Promise<void>
}

export interface FirstStartResult {
  readonly organizationId: string
  /** The first token, on the start that made it. */
  readonly firstToken: string | null
  /** The first token, while it is still the only live one. */
  readonly soleToken: string | null
}

const localTokenFile = 'local-token'

/** Makes the organization `default`, its owner and a first token where there is none yet. */
export async function ensureFirstStart(start: FirstStart): Promise<FirstStartResult> {
  const known = await start.store.findOne(Organizations, 'slug', ['default'])
  if (known !== undefined) return {organizationId: known.id, firstToken: null, soleToken: await soleToken(start)}
  // The file comes first: a crash in between leaves a token that the next start takes up, never one that nobody knows.
  const secret = await keepLocalToken(start)
  const organizationId = newId('org')
  await start.store.transaction(async (transaction) => {
    await seed(transaction, start, organizationId, secret)
    await start.onOrganization(transaction, organizationId)
  })
  return {organizationId, firstToken: secret, soleToken: secret}
}

async function seed(transaction: Transaction, {clock}: FirstStart, organizationId: string, secret: string): Promise<void> {
  const now = toInstant(clock.now())
  const userId = newId('usr')
  await transaction.insert(Organizations, {id: organizationId, name: 'default', slug: 'default', createdAt: now})
  await transaction.insert(Users, {id: userId, name: 'Owner', email: 'owner@localhost', instanceAdmin: true, createdAt: now, updatedAt: now})
  await transaction.insert(Members, {id: newId('mem'), organizationId, userId, role: 'owner', createdAt: now})
  const basis = {userId, organizationId, name: 'first token', readOnly: false, scoped: false, grants: [], expiresAt: null}
  await transaction.insert(Tokens, tokenRecord(clock.now(), secret, basis))
}

async function keepLocalToken({home, tokenPrefix, bootstrapToken}: FirstStart): Promise<string> {
  const file = path.join(home, localTokenFile)
  const secret = bootstrapToken ?? (await readLocalToken(home)) ?? newTokenSecret(tokenPrefix)
  if (!isTokenSecret(secret) || !secret.startsWith(`${tokenPrefix}_pat_`)) {
    throw new Fault('CONFIGURATION', `the bootstrap token must have the form ${tokenPrefix}_pat_<20 to 128 letters, digits, _ or ->`)
  }
  await writeFile(file, `${secret}\n`, {mode: 0o600})
  await chmod(file, 0o600)
  return secret
}

/** The token that commands on this machine use, or undefined. */
export async function readLocalToken(home: string): Promise<string | undefined> {
  try {
    const text = (await readFile(path.join(home, localTokenFile), 'utf8')).trim()
    return text === '' ? undefined : text
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new Fault('CONFIGURATION', `can not read ${path.join(home, localTokenFile)}`, {cause: error})
  }
}

async function soleToken({store, clock, home}: FirstStart): Promise<string | null> {
  const secret = await readLocalToken(home)
  if (secret === undefined) return null
  let own = false
  for await (const token of store.all(Tokens)) {
    if (!isLive(token, clock.now())) continue
    if (token.tokenHash !== hashTokenSecret(secret)) return null
    own = true
  }
  return own ? secret : null
}
