import {Fault} from '../../../src/contract/faults.js'
import type {Actor} from '../../events/record.js'
import type {Transaction} from '../../store/store.js'
import {endDeployment, type EndDeploymentParts} from './end-deployment.js'
import {Deployments, type DeploymentRecord} from './records.js'

export type CancelParts = EndDeploymentParts

/** Asks for the end of a deployment: one that waits ends at once, one that goes on when the release before it is safe. It never becomes live afterwards. */
export async function cancelDeployment(parts: CancelParts, transaction: Transaction, id: string, actor: Actor): Promise<DeploymentRecord> {
  const record = await transaction.get(Deployments, id)
  if (record === undefined) throw new Fault('NOT_FOUND', 'Not found')
  if (record.slot === null) throw new Fault('DEPLOYMENT_FINISHED', `deployment ${id} has ended already: ${record.status}`, {details: {status: record.status}})
  if (record.request.cancelRequestedBy !== null) return record
  const asked: DeploymentRecord = {...record, request: {...record.request, cancelRequestedBy: actor.userId ?? 'system', cancelActor: {...actor}}}
  if (record.slot === 'waiting') return endDeployment(parts, transaction, asked, {status: 'cancelled', endReason: 'user', errorMessage: 'cancelled while it waited for the deployment before it'})
  await transaction.put(Deployments, asked)
  return asked
}
