import {wait} from '../client/wait.js'
import {isAlive, type DaemonRecord} from '../config/daemon-record.js'
import {Fault} from '../contract/faults.js'
import {formatDuration} from './time-text.js'

const betweenLooksMs = 50

/** Asks a daemon to stop and waits until its process is gone. */
export async function stopDaemon(daemon: DaemonRecord, timeoutMs: number, signal: AbortSignal): Promise<void> {
  try {
    process.kill(daemon.pid, 'SIGTERM')
  } catch (error) {
    if (isGone(error)) return
    throw new Fault('FORBIDDEN', `the daemon (process ${daemon.pid}) belongs to another user`, {details: {pid: daemon.pid}, cause: error})
  }
  // The end of a process that is not our child can not be waited for, only looked at.
  const endsAt = performance.now() + timeoutMs
  while (isAlive(daemon.pid)) {
    if (performance.now() > endsAt) {
      throw new Fault('WAIT_TIMEOUT', `the daemon (process ${daemon.pid}) is still stopping after ${formatDuration(timeoutMs)}`, {details: {pid: daemon.pid}, suggestions: ['daemon logs']})
    }
    await wait(betweenLooksMs, signal)
  }
}

function isGone(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ESRCH'
}
