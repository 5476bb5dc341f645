import {Fault} from '../../../src/contract/faults.js'
import {allows} from '../../access/decide.js'
import type {Principal} from '../../access/principal.js'
import type {StoreReader} from '../../store/store.js'
import type {ProjectVerb} from '../find-project.js'
import {Deployments, type DeploymentRecord} from './records.js'

/** Whether a principal may do this to a deployment: as with the project that it belongs to. */
export function coversDeployment(principal: Principal, deployment: Pick<DeploymentRecord, 'projectId' | 'organizationId'>, verb: ProjectVerb): boolean {
  return allows(principal, {type: 'deployment', id: deployment.projectId, organizationId: deployment.organizationId}, verb)
}

/** A deployment that the principal may act on, or NOT_FOUND: missing, foreign and not covered look the same. */
export async function getDeployment(reader: StoreReader, id: string, principal: Principal, verb: ProjectVerb): Promise<DeploymentRecord> {
  const deployment = await reader.get(Deployments, id)
  if (deployment === undefined || !coversDeployment(principal, deployment, verb)) throw new Fault('NOT_FOUND', 'Not found')
  return deployment
}
