import type {Engines} from '../../servers/engine/engine.js'
import type {Store} from '../../store/store.js'
import type {ProjectRecord} from '../records.js'
import {releaseName} from './claim-name.js'
import {Deployments} from './records.js'
import {takeDown} from './switch-release.js'

/** After a project moved: the containers of its release on the server before come to an end. Volumes stay there. */
export async function leaveServer({store, engines}: {readonly store: Store; readonly engines: Engines}, project: ProjectRecord, deploymentId: string, signal: AbortSignal): Promise<void> {
  const before = await store.get(Deployments, deploymentId)
  if (before === undefined || before.serverId === project.serverId) return
  const engine = await engines.engineFor(before.serverId)
  const facts = await engine.facts({signal})
  await takeDown({engine, facts, project, onLine: () => undefined, signal})
  await store.transaction((transaction) => releaseName(transaction, project, before.serverId))
}
