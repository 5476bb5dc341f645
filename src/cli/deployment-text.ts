import type {Deployment, DeploymentEvent} from '../contract/deployments.js'
import {toTerminalText} from './run-lines.js'
import type {Cell, Column} from './table.js'
import {formatDuration} from './time-text.js'

export const deploymentColumns: readonly Column<Deployment>[] = [
  {heading: 'DEPLOYMENT', value: ({id}) => id, whole: true},
  {heading: 'PROJECT', value: ({projectName}) => projectName},
  {heading: 'STATUS', value: ({status}) => status, kind: 'status'},
  {heading: 'WHY', value: ({endReason}) => endReason},
  {heading: 'RELEASE', value: (deployment) => releaseText(deployment)},
  {heading: 'COMMIT', value: ({commitSha}) => commitSha?.slice(0, 8) ?? null},
  {heading: 'TRIGGER', value: ({trigger}) => trigger},
  {heading: 'CREATED', value: ({createdAt}) => createdAt, kind: 'time'},
  {heading: 'TOOK', value: ({durationMs}) => (durationMs === null ? null : formatDuration(durationMs)), kind: 'number'},
]

function releaseText({version, isActive, pinned}: Deployment): string | null {
  const marks = [...(isActive ? ['served'] : []), ...(pinned ? ['pinned'] : [])]
  const text = [...(version === null ? [] : [String(version)]), ...marks].join(', ')
  return text === '' ? null : text
}

export function deploymentFields(deployment: Deployment): [string, Cell][] {
  const {services = [], steps} = deployment
  return [
    ['deployment', deployment.id],
    ['project', deployment.projectName],
    ['status', deployment.status],
    ['why', deployment.endReason],
    ['error', deployment.errorMessage],
    ['warning', deployment.warningMessage],
    ['release', releaseText(deployment)],
    ['brought back', deployment.restoredDeploymentId],
    ['brings back', deployment.rollbackOf],
    ['address', deployment.url],
    ['did not run for', deployment.interruptionMs === null ? null : formatDuration(deployment.interruptionMs)],
    ['branch', deployment.branch],
    ['commit', deployment.commitSha === null ? null : `${deployment.commitSha.slice(0, 12)} ${deployment.commitMessage?.split('\n', 1)[0] ?? ''}`.trim()],
    ['trigger', deployment.trigger],
    ['asked for by', deployment.requestedBy],
    ['created', deployment.createdAt],
    ['finished', deployment.finishedAt],
    ['took', deployment.durationMs === null ? null : formatDuration(deployment.durationMs)],
    ['steps', steps.map(({step, status}) => `${step} ${status}`).join(', ')],
    ...services.map(({serviceName, status, reason, imageRef, errorMessage}): [string, Cell] => [
      `service ${serviceName}`, [`${status} (${reason})`, imageRef, errorMessage].filter((part) => part !== null).join(', '),
    ]),
  ]
}

/** `deployment dep_1 of shop: failed (build): message` */
export function deploymentOutcome(deployment: Deployment): string {
  const {id, projectName, status, version, url, endReason, errorMessage, warningMessage, interruptionMs, restoredDeploymentId} = deployment
  const interrupted = interruptionMs === null ? '' : `; what changed did not run for ${formatDuration(interruptionMs)}`
  if (status === 'ready') return `${projectName} is live: release ${version ?? '?'} (${id})${url === null ? '' : ` at ${url}`}${interrupted}${warningMessage === null ? '' : `; warning: ${warningMessage}`}`
  if (status === 'no_changes') return `${projectName} is as it was: nothing had changed (${id})`
  const why = endReason === null ? '' : ` (${endReason})`
  const back = restoredDeploymentId === null ? '' : `; ${restoredDeploymentId} is served again${interrupted}`
  return `deployment ${id} of ${projectName}: ${status}${why}${errorMessage === null ? '' : `: ${errorMessage}`}${back}`
}

/** One line of a log as it is shown. */
export function deploymentLine({message, serviceName}: Pick<Extract<DeploymentEvent, {type: 'log'}>, 'message' | 'serviceName'>, terminal: boolean): string {
  const text = message.replace(/\n$/, '')
  return `${serviceName === undefined ? '' : `[${serviceName}] `}${terminal ? toTerminalText(text) : text}`
}
