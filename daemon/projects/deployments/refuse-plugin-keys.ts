import {findPluginKeys} from '../../../src/compose/plugin-keys.js'
import type {DeploymentContext} from './deployment-context.js'
import {DeploymentFailure} from './deployment-failure.js'
import {toDefinitions, type DeploymentPlan} from './plan.js'

/** Fails where the release has keys that the Compose of the server does not know: version 1 would refuse the whole file, when all else is done. */
export function refusePluginKeys({facts}: Pick<DeploymentContext, 'facts'>, {services, networks}: DeploymentPlan): void {
  const {compose} = facts
  if (compose === null || compose.kind === 'plugin' || !compose.version.startsWith('1.')) return
  const keys = findPluginKeys({services: toDefinitions(services), networks})
  if (keys.length === 0) return
  const told = keys.map(({owner, key}) => `${key} of ${owner}`).join(', ')
  throw new DeploymentFailure('source', `docker-compose ${compose.version} of the server does not know ${told}; take that out, or install the Compose plugin there (docker-compose-plugin)`, {
    code: 'COMPOSE_INVALID', details: {problems: keys.map(({owner, key}) => ({service: owner, key}))},
  })
}
