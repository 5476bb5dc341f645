import {sleep} from '../../clock.js'
import {toFailure} from './deployment-failure.js'
import type {SwitchParts} from './switch-release.js'
import {switchRelease, takeDown, writeRelease} from './switch-release.js'
import type {OpenRelease} from './release-book.js'
import {toWatched} from './watched-services.js'

export interface RestoreParts extends Omit<SwitchParts, 'release' | 'services'> {
  /** What is to be served; null where there was nothing before. */
  readonly release: OpenRelease | null
  /** Services that the failed deployment has touched. */
  readonly touched: ReadonlySet<string>
}

const tries = 3
const pauseMs = 2_000

/** Brings back what was served before a deployment failed. Answers the id of that release; null where there was none. */
export async function restoreRelease(parts: RestoreParts): Promise<string | null> {
  const {release, touched, clock, signal} = parts
  if (release === null) {
    await takeDown(parts)
    return null
  }
  const switching: SwitchParts = {...parts, release, services: toWatched(release, touched)}
  for (let attempt = 1; ; attempt += 1) {
    try {
      await writeRelease(switching)
      await switchRelease(switching)
      return release.id
    } catch (error) {
      // Room for it comes later than this would be tried again.
      if (signal.aborted || attempt >= tries || toFailure(error).reason === 'disk') throw error
      parts.onLine(`the release before could not be brought back, which is tried again: ${error instanceof Error ? error.message : String(error)}`)
      await sleep(clock, pauseMs, signal)
    }
  }
}
