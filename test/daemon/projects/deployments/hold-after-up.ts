import {existsSync} from 'node:fs'
import {sleep, systemClock} from '../../../../daemon/clock.js'
import type {AfterHealthy} from '../../../../daemon/projects/deployments/run-after-healthy.js'

/** What a log says while a deployment whose services are up is held. */
export const heldNote = 'held before it is live'

/** Keeps a deployment whose services are up from being live as long as there is a file. */
export function holdAfterUp(file: string): AfterHealthy {
  return async ({note, signal}) => {
    if (existsSync(file)) note(heldNote)
    while (existsSync(file)) await sleep(systemClock, 20, signal)
  }
}
