import type {ComposeNetwork} from '../../../src/compose/compose-model.js'
import {followLinks, type FollowParts} from '../connections/follow-links.js'
import type {DeploymentContext} from './deployment-context.js'

/** Takes over the values of other projects as they are now; answers the networks that lead there. They are values of production. */
export async function findLinks(parts: FollowParts, {deployment, project, log, signal}: DeploymentContext): Promise<readonly ComposeNetwork[]> {
  if (deployment.environment !== 'production') return []
  const {networks, values} = await followLinks(parts, {project, signal, warn: (line) => log.line(line, {level: 'warn'})})
  log.hide(values)
  return networks
}
