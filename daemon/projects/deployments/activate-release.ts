import {Projects} from '../records.js'
import type {DeploymentBook} from './deployment-book.js'
import {endDeployment, type EndDeploymentParts} from './end-deployment.js'
import type {DeploymentRecord} from './records.js'
import {Deployments} from './records.js'
import {DeploymentCancelled} from './deployment-signals.js'

export interface Activation {
  readonly interruptionMs: number | null
  readonly outputBytes: number
  /** Nothing differed: the release that was served goes on. */
  readonly isSame: boolean
}

/** Makes a release that is up the one that is served, with its end and its event in one transaction. A cancel that came before wins. */
export async function activateRelease(parts: EndDeploymentParts, book: DeploymentBook, {interruptionMs, outputBytes, isSame}: Activation): Promise<DeploymentRecord | undefined> {
  return book.change(async (transaction, record, now) => {
    if (record.request.cancelRequestedBy !== null) throw new DeploymentCancelled()
    const project = await transaction.get(Projects, record.projectId)
    if (project === undefined) throw new DeploymentCancelled()
    if (isSame) {
      await transaction.put(Projects, {...project, disabledAt: null})
      return endDeployment(parts, transaction, record, {status: 'no_changes', endReason: null, interruptionMs, outputBytes})
    }
    // What is brought back is the release that it was.
    const restored = record.rollbackOf === null ? undefined : (await transaction.get(Deployments, record.rollbackOf))?.version
    const version = restored ?? project.lastVersion + 1
    const rejected = record.request.rejects === null ? undefined : await transaction.get(Deployments, record.request.rejects)
    if (rejected !== undefined) await transaction.put(Deployments, {...rejected, status: 'rejected', endReason: 'user', restoredDeploymentId: record.rollbackOf, updatedAt: now})
    await transaction.put(Projects, {...project, activeDeploymentId: record.id, lastVersion: Math.max(project.lastVersion, version), disabledAt: null, updatedAt: now})
    return endDeployment(parts, transaction, record, {status: 'ready', endReason: null, version, interruptionMs, outputBytes, retained: true})
  })
}
