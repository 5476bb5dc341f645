import type {EventType} from '../../../src/contract/events.js'
import type {Actor, NewEvent} from '../../events/record.js'
import type {ProjectRecord} from '../records.js'
import type {DeploymentRecord} from './records.js'

export interface EventAbout {
  readonly deployment: DeploymentRecord
  readonly project: Pick<ProjectRecord, 'name'> | undefined
  readonly actor: Actor
  readonly more?: Readonly<Record<string, unknown>>
}

/** What others are told of a deployment. They find it under its project. */
export function toDeploymentEvent(type: Extract<EventType, `deployment.${string}`>, {deployment, project, actor, more}: EventAbout): NewEvent {
  const {id, status, endReason, environment, trigger, branch, commitSha, version, durationMs, errorMessage, errorCode, restoredDeploymentId, rollbackOf, serverId} = deployment
  const about = {projectName: project?.name ?? deployment.projectId, projectId: deployment.projectId, deploymentId: id, serverId, environment, trigger, branch, commitSha}
  const ended = status === 'queued' || status === 'building' ? {} : {status, endReason, version, durationMs, errorMessage, errorCode, restoredDeploymentId, rollbackOf}
  const audited = type === 'deployment.requested' || type === 'deployment.cancelled' ? {after: {deploymentId: id, trigger, branch, commitSha, rollbackOf}} : {}
  return {type, organizationId: deployment.organizationId, resourceType: 'project', resourceId: deployment.projectId, actor, payload: {...about, ...ended, ...audited, ...more}}
}
