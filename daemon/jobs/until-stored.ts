import {Fault} from '../../src/contract/faults.js'
import {sleep, type Clock} from '../clock.js'
import {describeError, type Log} from '../log.js'

const firstWaitMs = 250
const longestWaitMs = 10_000

/** Repeats a write until the disk takes it: what a run brings must not be lost because there was no room for a while. */
export async function untilStored<T>({clock, log}: {readonly clock: Clock; readonly log: Log}, signal: AbortSignal, write: () => Promise<T>): Promise<T> {
  for (let waitMs = firstWaitMs; ; waitMs = Math.min(waitMs * 2, longestWaitMs)) {
    try {
      return await write()
    } catch (error) {
      if (!isStorageFault(error)) throw error
      if (waitMs === firstWaitMs) log.warn('the store took nothing; a run waits for it', {error: describeError(error)})
      await sleep(clock, waitMs, signal)
    }
  }
}

// A broken disk is INTERNAL; so is a bug, which then repeats in the log rather than losing a run.
function isStorageFault(error: unknown): boolean {
  return error instanceof Fault && (error.code === 'STORE_FULL' || error.code === 'INTERNAL')
}
