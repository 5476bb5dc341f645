import {mkdtemp, rm} from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import {onTestFinished} from 'vitest'
import {startDaemon, type RunningDaemon, type StartOptions} from '../../daemon/main.js'
import type {DaemonSettings} from '../../daemon/settings.js'

export interface Answer {
  readonly status: number
  readonly headers: Headers
  // Tests look into whatever came back.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- a test reads answers freely and fails where they are not as it says
  readonly body: any
}

export interface TestDaemon {
  readonly daemon: RunningDaemon
  readonly home: string
  readonly token: string
  readonly log: string[]
  /** Calls a route with the owner's token, or another, or none (null). */
  call(method: string, path: string, body?: unknown, token?: string | null, headers?: Record<string, string>): Promise<Answer>
}

/** A folder of the test's own, gone when the test is over. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'moorage-test-'))
  // A command that was let go may still write into its run folder.
  onTestFinished(() => rm(folder, {recursive: true, force: true, maxRetries: 20, retryDelay: 100}))
  return folder
}

export function testSettings(home: string, changes: Partial<DaemonSettings> = {}): DaemonSettings {
  return {
    home, host: '127.0.0.1', port: 0, mode: 'selfhosted', publicUrl: undefined, jobs: true, store: 'file', secretKey: undefined,
    credentialsDirectory: undefined, bootstrapToken: undefined, tokenPrefix: 'moor', timeZone: 'UTC', sshKeyRoots: [], catalogUrl: undefined, uploadLimitBytes: 300_000_000, ...changes,
  }
}

/** A whole daemon on a free port with a home of its own; stopped when the test is over. */
export async function startTestDaemon(changes: Partial<DaemonSettings> = {}, options: Omit<StartOptions, 'writeLog'> = {}): Promise<TestDaemon> {
  const home = changes.home ?? (await temporaryFolder())
  const log: string[] = []
  const daemon = await startDaemon(testSettings(home, changes), {...options, writeLog: (line) => log.push(line)})
  onTestFinished(() => daemon.stop())
  const token = daemon.soleToken ?? daemon.firstToken ?? ''
  return {daemon, home, token, log, call: caller(daemon.url, token)}
}

export function caller(url: string, owner: string): TestDaemon['call'] {
  return async (method, route, body, token = owner, headers = {}) => {
    const response = await fetch(url + route, {
      method,
      headers: {'content-type': 'application/json', ...(token !== null && {authorization: `Bearer ${token}`}), ...headers},
      ...(body !== undefined && {body: typeof body === 'string' ? body : JSON.stringify(body)}),
    })
    const text = await response.text()
    return {status: response.status, headers: response.headers, body: text === '' ? undefined : parse(text)}
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
