import {Fault} from '../../../src/contract/faults.js'
import type {Engine, EngineFacts, Engines} from '../../servers/engine/engine.js'
import type {Sealer} from '../../store/secrets.js'
import type {Store} from '../../store/store.js'
import {findRegistryLogins} from '../../registries/find-logins.js'
import {Projects, type ProjectRecord} from '../records.js'
import type {DeploymentBook} from './deployment-book.js'
import type {DeploymentContext} from './deployment-context.js'
import type {DeploymentLog} from './deployment-log.js'
import {projectSecrets} from './project-secrets.js'
import {Deployments, type DeploymentRecord} from './records.js'
import {findOpenRelease} from './release-book.js'

export interface ContextParts {
  readonly store: Store
  readonly sealer: Sealer
  readonly engines: Engines
}

export interface ContextOf {
  readonly deployment: DeploymentRecord
  readonly book: DeploymentBook
  readonly log: DeploymentLog
  readonly signal: AbortSignal
}

/** Finds the server of a project and its engine, and what is served there now. */
export async function prepareContext({store, sealer, engines}: ContextParts, {deployment, book, log, signal}: ContextOf): Promise<DeploymentContext> {
  const stored = await store.get(Projects, deployment.projectId)
  if (stored === undefined) throw new Fault('NOT_FOUND', 'the project is gone')
  const project = {...stored, serverId: await placeOf(store, deployment.id, stored)}
  const logins = await findRegistryLogins(store, sealer, project.organizationId)
  log.hide([...(await projectSecrets(store, sealer, project)), ...logins.map(({password}) => password)])
  const engine = await engines.engineFor(project.serverId)
  const facts = await engine.facts({signal})
  if (facts.compose === null) {
    throw new Fault('ENGINE_UNAVAILABLE', 'neither docker compose nor docker-compose is installed on the server; install one of them', {suggestions: ['servers check']})
  }
  const active = await findOpenRelease(store, sealer, project.activeDeploymentId)
  // What another server serves can neither be carried forward here nor brought back.
  const isHere = active?.serverId === project.serverId
  return {deployment, project, engine, facts, book, log, signal, logins, active: active === undefined || !isHere ? null : active}
}

// A project may be given another server meanwhile; what has begun to replace services goes on, or is undone, where they are.
async function placeOf(store: Store, deploymentId: string, project: ProjectRecord): Promise<string | null> {
  const record = await store.get(Deployments, deploymentId)
  return record === undefined || record.stage === 'before-up' ? project.serverId : record.serverId
}

/** What was found on a server, in a line for the log. */
export function describeEngine({facts, project}: {readonly engine: Engine; readonly facts: EngineFacts; readonly project: ProjectRecord}): string {
  const {version, compose, rootless, needsSudo, folder} = facts
  const program = compose === null ? '' : `, ${compose.kind === 'plugin' ? 'docker compose' : 'docker-compose'} ${compose.version}`
  const traits = [...(rootless ? ['rootless'] : []), ...(needsSudo ? ['through sudo'] : [])]
  return `engine ${version}${program}${traits.length === 0 ? '' : ` (${traits.join(', ')})`}; files in ${folder}/${project.slug}`
}
