import {labelNames, toProjectName} from '../../../src/compose/release.js'
import type {Engine, EngineFacts} from '../../servers/engine/engine.js'
import type {Store, StoreReader} from '../../store/store.js'
import {Projects, type ProjectRecord} from '../records.js'
import type {DeploymentContext} from './deployment-context.js'
import {claimName} from './claim-name.js'
import {DeploymentFailure} from './deployment-failure.js'
import {servedFile} from './release-folders.js'

// A slug is free in each organization and each instance, and a server may be known to several of them. There it can be one project's only.

/** Fails where the name that a project has on its server is another's there; nothing has been touched then. */
export async function refuseForeign(store: Store, {engine, facts, project, active, signal}: Pick<DeploymentContext, 'engine' | 'facts' | 'project' | 'active' | 'signal'>): Promise<void> {
  // What is served already has the name.
  if (active !== null) return
  const name = toProjectName(project.slug)
  const containers = await engine.containers({'com.docker.compose.project': name}, {signal})
  const claimedBy = await store.transaction((transaction) => claimName(transaction, project))
  const holder = claimedBy ?? containers.map(({labels}) => labels[labelNames.project]).find((id) => id !== undefined && id !== project.id) ?? (await findLivingOwner(store, {engine, facts, project, signal}))
  if (holder === undefined) return
  throw new DeploymentFailure('start', `another project (${holder}) is ${name} on this server; nothing was stopped. Make this one anew with another slug, or take the other one off the server`, {
    code: 'CONFLICT', details: {composeProjectName: name, holder},
  })
}

// What a project left behind that is gone is in nobody's way.
async function findLivingOwner(store: StoreReader, {engine, facts, project, signal}: Pick<DeploymentContext, 'engine' | 'facts' | 'project' | 'signal'>): Promise<string | undefined> {
  const owner = await findFolderOwner(engine, facts, project, signal)
  return owner === undefined || owner === project.id || (await store.get(Projects, owner)) === undefined ? undefined : owner
}

/** The project whose Compose file lies in the folder; undefined where there is none. */
export async function findFolderOwner(engine: Engine, facts: EngineFacts, project: Pick<ProjectRecord, 'slug'>, signal: AbortSignal): Promise<string | undefined> {
  const text = await engine.readFile(servedFile(facts, project), {signal})
  return new RegExp(`^ *${labelNames.project.replace('.', '\\.')}: "?([\\w-]+)"?$`, 'm').exec(text ?? '')?.[1]
}
