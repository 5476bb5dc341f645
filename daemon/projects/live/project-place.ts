import {Fault} from '../../../src/contract/faults.js'
import type {Engine, Engines} from '../../servers/engine/engine.js'
import type {StoreReader} from '../../store/store.js'
import {Deployments} from '../deployments/records.js'
import type {ProjectRecord} from '../records.js'

type Placed = Pick<ProjectRecord, 'id' | 'name' | 'slug' | 'serverId' | 'activeDeploymentId'>

/** Where what is served of a project runs: a project that was given another server is there with its next deployment only. */
export async function servedOn(store: StoreReader, project: Placed): Promise<string | null> {
  const active = project.activeDeploymentId === null ? undefined : await store.get(Deployments, project.activeDeploymentId)
  return active === undefined ? project.serverId : active.serverId
}

export async function engineOf({store, engines}: {readonly store: StoreReader; readonly engines: Engines}, project: Placed): Promise<Engine> {
  return engines.engineFor(await servedOn(store, project))
}

/** What is served stays what it is for as long as no deployment goes on. */
export async function refuseWhileDeploying(store: Pick<StoreReader, 'findOne'>, project: Placed): Promise<void> {
  const going = await store.findOne(Deployments, 'slot', [project.id, 'active'])
  if (going !== undefined) throw new Fault('CONFLICT', `deployment ${going.id} of ${project.name} is going on`, {details: {deploymentId: going.id}, suggestions: [`deployments watch ${going.id}`]})
}

/** Nobody touches containers while a deployment makes them anew. */
export async function refuseWhileSwitching(store: StoreReader, project: Placed): Promise<void> {
  const going = await store.findOne(Deployments, 'slot', [project.id, 'active'])
  if (going === undefined || going.stage === 'before-up') return
  throw new Fault('CONFLICT', `deployment ${going.id} of ${project.name} is starting its services`, {details: {deploymentId: going.id}, suggestions: [`deployments watch ${going.id}`]})
}

export function nothingDeployed(project: Placed, subject = `of ${project.name}`): Fault {
  return new Fault('NOTHING_DEPLOYED', `nothing ${subject} is deployed`, {suggestions: [`deploy ${project.slug}`]})
}
