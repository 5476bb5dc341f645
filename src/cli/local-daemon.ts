import {spawn, type ChildProcess} from 'node:child_process'
import {watch} from 'node:fs'
import {mkdir, open, readFile} from 'node:fs/promises'
import path from 'node:path'
import {findDaemon, type DaemonRecord} from '../config/daemon-record.js'
import type {Variables} from '../config/environment.js'
import {Fault} from '../contract/faults.js'

/** What a daemon that was started by a command tells it. */
export type DaemonMessage =
  | {readonly type: 'ready'}
  | {readonly type: 'failed'; readonly code: string; readonly message: string}

export interface StartOptions {
  readonly home: string
  /** bin/run.js of this installation. */
  readonly program: string
  readonly flags?: readonly string[]
  readonly variables: Variables
  readonly signal: AbortSignal
  readonly timeoutMs?: number
}

const defaultTimeoutMs = 30_000
const shownLogLines = 15

export function daemonLogFile(home: string): string {
  return path.join(home, 'logs', 'daemon.log')
}

/** Starts a daemon that outlives the command, and waits until it says that it serves. Where another starts one at the same time, that one serves both. */
export async function startLocalDaemon(options: StartOptions): Promise<DaemonRecord> {
  const {home} = options
  const deadline = AbortSignal.any([options.signal, AbortSignal.timeout(options.timeoutMs ?? defaultTimeoutMs)])
  const logFile = daemonLogFile(home)
  await mkdir(path.dirname(logFile), {recursive: true, mode: 0o700})
  const log = await open(logFile, 'a', 0o600)
  const logStart = (await log.stat()).size
  let outcome: DaemonMessage | undefined
  try {
    outcome = await launch(options, log.fd, deadline)
  } finally {
    await log.close()
  }
  if (outcome?.type !== 'failed' || outcome.code === 'HOME_IN_USE') {
    const record = await waitForRecord(home, deadline)
    if (record !== undefined) return record
  }
  options.signal.throwIfAborted()
  throw await startFault(outcome, logFile, logStart, home)
}

// Undefined when the time is up.
async function launch({home, program, flags = [], variables}: StartOptions, logFd: number, deadline: AbortSignal): Promise<DaemonMessage | undefined> {
  const {MOORAGE_TOKEN: _token, ...inherited} = variables
  const child = spawn(process.execPath, [program, 'daemon', 'run', '--next-free-port', ...flags], {
    detached: true,
    cwd: '/',
    stdio: ['ignore', logFd, logFd, 'ipc'],
    env: {...inherited, MOORAGE_HOME: home},
  })
  try {
    return await firstMessage(child, deadline)
  } finally {
    if (child.connected) child.disconnect()
    child.unref()
  }
}

function firstMessage(child: ChildProcess, deadline: AbortSignal): Promise<DaemonMessage | undefined> {
  return new Promise((resolve) => {
    deadline.addEventListener('abort', () => {
      child.kill('SIGTERM')
      resolve(undefined)
    }, {once: true})
    let failure: DaemonMessage | undefined
    child.on('message', (message) => {
      if (!isDaemonMessage(message)) return
      if (message.type === 'ready') resolve(message)
      // What it writes to its log comes after; the log is whole when it has ended.
      else failure = message
    })
    child.on('error', (error) => resolve({type: 'failed', code: 'DAEMON_START_FAILED', message: error.message}))
    child.on('exit', (code, signal) => resolve(failure ?? {type: 'failed', code: 'DAEMON_START_FAILED', message: `it ended with ${signal ?? `exit code ${code}`}`}))
  })
}

function isDaemonMessage(message: unknown): message is DaemonMessage {
  if (typeof message !== 'object' || message === null || !('type' in message)) return false
  return message.type === 'ready' || (message.type === 'failed' && 'code' in message && 'message' in message)
}

/** The record of the daemon of a home, as soon as there is one; undefined when the signal ends first. */
export async function waitForRecord(home: string, signal: AbortSignal): Promise<DaemonRecord | undefined> {
  const changes = new AbortController()
  let changed: () => void = () => undefined
  // Watching begins before the first look, so that no change falls between the two.
  const watcher = watch(home, {signal: AbortSignal.any([signal, changes.signal])}, () => changed())
  watcher.on('error', () => changed())
  signal.addEventListener('abort', () => changed(), {once: true})
  try {
    for (;;) {
      const next = new Promise<void>((resolve) => (changed = resolve))
      const record = await findDaemon(home)
      if (record !== undefined || signal.aborted) return record
      await next
    }
  } finally {
    changes.abort()
  }
}

async function startFault(outcome: DaemonMessage | undefined, logFile: string, logStart: number, home: string): Promise<Fault> {
  const said = outcome?.type === 'failed' ? outcome.message : 'it did not serve in time'
  const written = (await readFile(logFile)).subarray(logStart).toString('utf8')
  const log = written.split('\n').filter((line) => line !== '').slice(-shownLogLines)
  const suggestions = outcome?.type === 'failed' && outcome.code === 'STORE_DAMAGED' ? ['daemon repair --dry-run'] : ['daemon logs', 'doctor']
  return new Fault('DAEMON_START_FAILED', `the daemon of ${home} did not come up: ${said}`, {details: {home, logFile, log}, suggestions})
}
