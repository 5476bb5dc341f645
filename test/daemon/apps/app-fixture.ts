import {mkdir, writeFile} from 'node:fs/promises'
import path from 'node:path'
import type {StartOptions} from '../../../daemon/main.js'
import type {DaemonSettings} from '../../../daemon/settings.js'
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
