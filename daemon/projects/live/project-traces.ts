import {labelNames, toProjectName} from '../../../src/compose/release.js'
import type {ContainerFacts, Engine, Engines, NetworkFacts} from '../../servers/engine/engine.js'
import type {Store} from '../../store/store.js'
import {Deployments, Releases} from '../deployments/records.js'
import {findFolderOwner} from '../deployments/refuse-foreign.js'
import {projectFolder} from '../deployments/release-folders.js'
import type {ProjectRecord} from '../records.js'
import {projectContainers} from './find-containers.js'
import {servedOn} from './project-place.js'

/** What there is of a project on one server. */
export interface ProjectTraces {
  readonly engine: Engine
  readonly containers: readonly ContainerFacts[]
  readonly networks: readonly NetworkFacts[]
  readonly volumes: readonly {readonly name: string}[]
  /** Our tags; what was pulled stays under its own name. */
  readonly imageTags: readonly string[]
  /** Null where another project of the same name has it. */
  readonly folder: string | null
}

/** The servers that a project was ever deployed to; those that are kept no more are left out. */
export async function serversOf(store: Store, project: ProjectRecord): Promise<(string | null)[]> {
  const deployments = await store.find(Deployments, 'project', [project.id])
  if (deployments.length === 0) return []
  const touched = deployments.filter(({retained, slot, id, startedAt}) => retained || slot !== null || id === project.activeDeploymentId || startedAt !== null)
  return [...new Set([await servedOn(store, project), ...touched.map(({serverId}) => serverId)])]
}

export async function findTraces({store, engines}: {readonly store: Store; readonly engines: Engines}, project: ProjectRecord, {serverId, signal}: {readonly serverId: string | null; readonly signal: AbortSignal}): Promise<ProjectTraces> {
  const engine = await engines.engineFor(serverId)
  const label = {'com.docker.compose.project': toProjectName(project.slug), [labelNames.project]: project.id}
  const facts = await engine.facts({signal})
  const [containers, networks, volumes, tags] = await Promise.all([
    projectContainers(engine, project, signal), engine.networks(label, {signal}), engine.volumes(label, {signal}), keptTags(store, project.id),
  ])
  const there = await Promise.all(tags.map(async (tag) => ((await engine.image(tag, {signal})) === undefined ? [] : [tag])))
  const owner = await findFolderOwner(engine, facts, project, signal)
  return {engine, containers, networks, volumes, imageTags: there.flat(), folder: owner === undefined || owner === project.id ? projectFolder(facts, project) : null}
}

async function keptTags(store: Store, projectId: string): Promise<string[]> {
  const releases = await store.find(Releases, 'project', [projectId])
  return [...new Set(releases.flatMap(({services}) => services.map(({keptTag}) => keptTag)))]
}
