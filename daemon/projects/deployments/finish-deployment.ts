import {describeError} from '../../log.js'
import {removeUnusedLinks} from '../connections/link-networks.js'
import {activateRelease} from './activate-release.js'
import type {CarriedOut, CarryOutParts} from './carry-out.js'
import type {DeploymentInHand} from './deployment-run.js'
import {leaveServer} from './leave-server.js'
import {pruneReleases} from './prune-releases.js'

/** Makes what is up live, then lets go of what is too old. Once it is live nothing turns it into a failure. */
export async function finishDeployment(parts: CarryOutParts, {book, log, signals, meter}: DeploymentInHand, {context, release, isSame}: CarriedOut): Promise<void> {
  const interruptionMs = meter.interruptionMs()
  log.line(interruptionMs === null ? 'live' : `live; what changed did not run for ${(interruptionMs / 1000).toFixed(1)} s`)
  await log.end()
  const before = context.project.activeDeploymentId
  const live = await activateRelease(parts, book, {interruptionMs, outputBytes: log.sizeBytes(), isSame})
  if (live === undefined || isSame) return
  const {project} = context
  const tidyUp = [
    async () => removeUnusedLinks(project, release.model.networks, {...context, signal: signals.gone}),
    // First its containers, which hold images.
    async () => (context.active === null && before !== null ? leaveServer(parts, project, before, signals.gone) : undefined),
    async () => pruneReleases(parts, project, signals.gone),
  ]
  for (const work of tidyUp) {
    try {
      await work()
    } catch (error) {
      parts.log.warn('what an older release left could not be cleaned up', {deployment: live.id, error: describeError(error)})
    }
  }
}
