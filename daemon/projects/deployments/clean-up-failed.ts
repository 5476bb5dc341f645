import {describeError} from '../../log.js'
import type {CarryOutParts} from './carry-out.js'
import type {DeploymentInHand} from './deployment-run.js'
import {ServiceOutcomes, type DeploymentRecord} from './records.js'
import {Projects} from '../records.js'
import {keptTag, releaseFolder} from './release-folders.js'

const longestMs = 20_000

/** Takes from the server what only a failed release needed: its folder and the tags of its images. */
export async function cleanUpFailed({store, engines, log}: CarryOutParts, {signals}: DeploymentInHand, record: DeploymentRecord): Promise<void> {
  const signal = AbortSignal.any([signals.gone, AbortSignal.timeout(longestMs)])
  try {
    const project = await store.get(Projects, record.projectId)
    const outcomes = await store.find(ServiceOutcomes, 'deployment', [record.id])
    if (project === undefined || outcomes.length === 0) return
    const engine = await engines.engineFor(record.serverId)
    const facts = await engine.facts({signal})
    await engine.removeFolder(releaseFolder(facts, project, record.id), {signal})
    for (const {serviceName} of outcomes) await engine.removeImage(keptTag(project, serviceName, record.id), {signal})
  } catch (error) {
    if (signals.gone.aborted) throw error
    // It takes room and does no harm.
    log.warn('what a failed deployment left on its server could not be taken away', {deployment: record.id, error: describeError(error)})
  }
}
