import {mkdir, writeFile} from 'node:fs/promises'
import path from 'node:path'
import {tokenRecord} from '../../../daemon/access/mint-token.js'
import {Members, Organizations, Tokens, Users} from '../../../daemon/access/records.js'
import {newTokenSecret} from '../../../daemon/access/token-secret.js'
import {systemClock, toInstant} from '../../../daemon/clock.js'
import {collections} from '../../../daemon/collections.js'
import {createLog} from '../../../daemon/log.js'
import type {StartOptions} from '../../../daemon/main.js'
import type {DaemonSettings} from '../../../daemon/settings.js'
import {openFileStore} from '../../../daemon/store/file-store.js'
import {newId} from '../../../daemon/store/ids.js'
import type {Store} from '../../../daemon/store/store.js'
import {startTestDaemon, temporaryFolder, type TestDaemon} from '../start-test-daemon.js'

export type RawApp = Readonly<Record<string, unknown>> & {readonly id: string}

/** A definition that passes the gate and can be installed. */
export function app(id: string, more: Readonly<Record<string, unknown>> = {}): RawApp {
  return {
    id, name: `App ${id}`, description: `what ${id} does`, kind: 'template', logo: id, category: 'other', available: true,
    services: [{name: 'web', image: `${id}:1.2.3`, exposed: true, exposedPort: 8090}], ...more,
  }
}

export function manifest(apps: readonly unknown[]): string {
  return JSON.stringify({version: 1, apps})
}

/** A folder like `catalog/` with these definitions. */
export async function catalogFolder(apps: readonly unknown[], articles: Readonly<Record<string, string>> = {}): Promise<string> {
  const folder = await temporaryFolder()
  await mkdir(path.join(folder, 'articles'))
  await writeFile(path.join(folder, 'catalog.json'), manifest(apps))
  for (const [name, text] of Object.entries(articles)) await writeFile(path.join(folder, 'articles', name), text)
  return folder
}

/** A whole daemon whose package brings these definitions along. */
export async function startAppDaemon(apps: readonly unknown[], changes: Partial<DaemonSettings> = {}, options: Omit<StartOptions, 'writeLog'> = {}): Promise<TestDaemon> {
  return startTestDaemon(changes, {catalogFolder: await catalogFolder(apps), ...options})
}

export const idsOf = (entries: readonly {readonly id: string}[]): string[] => entries.map(({id}) => id)

/** Looks into the store of a home whose daemon does not run. */
export async function withStoreOf<T>(home: string, work: (store: Store) => Promise<T>): Promise<T> {
  const log = createLog({write: () => undefined, now: Date.now, redact: (text) => text})
  const {store} = await openFileStore({home, collections, clock: systemClock, log})
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

/** Adds another organization with an owner to the home of a daemon that does not run; answers the owner's token. */
export async function addOrganization(home: string, slug: string): Promise<string> {
  const secret = newTokenSecret('moor')
  const [organizationId, userId, createdAt] = [newId('org'), newId('usr'), toInstant(Date.now())]
  await withStoreOf(home, (store) =>
    store.transaction(async (transaction) => {
      await transaction.insert(Organizations, {id: organizationId, name: slug, slug, createdAt})
      await transaction.insert(Users, {id: userId, name: slug, email: `${slug}@example.com`, instanceAdmin: false, createdAt, updatedAt: createdAt})
      await transaction.insert(Members, {id: newId('mem'), organizationId, userId, role: 'owner', createdAt})
      const basis = {userId, organizationId, name: slug, readOnly: false, scoped: false, grants: [], expiresAt: null}
      await transaction.insert(Tokens, tokenRecord(Date.now(), secret, basis))
    }),
  )
  return secret
}
