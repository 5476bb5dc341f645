import type {HandlerResult} from '../../../src/contract/route.js'
import type {projectRoutes} from '../../../src/contract/projects.js'
import {toVolumeName} from '../../../src/compose/release.js'
import type {Engines} from '../../servers/engine/engine.js'
import type {Sealer} from '../../store/secrets.js'
import type {Store} from '../../store/store.js'
import {consumersOf} from '../connections/consumers.js'
import {Deployments} from '../deployments/records.js'
import {findOpenRelease} from '../deployments/release-book.js'
import {dataFolderName} from '../deployments/release-folders.js'
import type {ProjectRecord} from '../records.js'
import {findTraces, serversOf, type ProjectTraces} from './project-traces.js'

export type DeletionPreview = HandlerResult<typeof projectRoutes.deletionPreview>['data']
type Trace = DeletionPreview['removed'][number]

export interface PreviewParts {
  readonly store: Store
  readonly engines: Engines
  readonly sealer: Sealer
}

const longestMs = 20_000

/** What a deletion takes away and what it leaves. Where a server does not answer, what its release says is there. */
export async function previewDeletion(parts: PreviewParts, project: ProjectRecord, {wipeVolumes, signal}: {readonly wipeVolumes: boolean; readonly signal: AbortSignal}): Promise<DeletionPreview> {
  const {store} = parts
  const limit = AbortSignal.any([signal, AbortSignal.timeout(longestMs)])
  const found = await Promise.allSettled((await serversOf(store, project)).map((serverId) => findTraces(parts, project, {serverId, signal: limit})))
  signal.throwIfAborted()
  const reachable = found.every(({status}) => status === 'fulfilled')
  const traces = found.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  const removed = [...traces.flatMap(toRemoved), ...(reachable ? [] : await fromRelease(parts, project, 'container'))]
  const data = (await keepsData(parts, project)) ? traces.flatMap(({folder}): Trace[] => (folder === null ? [] : [{kind: 'file', name: `${folder}/${dataFolderName}`, service: null}])) : []
  const volumes = [...traces.flatMap(toVolumes), ...(reachable ? [] : await fromRelease(parts, project, 'volume')), ...data]
  const open = await Promise.all((['active', 'waiting'] as const).map((slot) => store.findOne(Deployments, 'slot', [project.id, slot])))
  return {
    reachable,
    removed: wipeVolumes ? [...removed, ...volumes] : removed,
    kept: wipeVolumes ? [] : volumes,
    consumers: (await consumersOf(store, project.id)).map(({link, target}) => ({projectId: target.id, name: target.name, slug: target.slug, envKey: link.envKey})),
    activeDeploymentIds: open.flatMap((deployment) => (deployment === undefined ? [] : [deployment.id])),
  }
}

function toRemoved({containers, networks, imageTags, folder}: ProjectTraces): Trace[] {
  return [
    ...containers.map(({name, labels}) => ({kind: 'container' as const, name, service: labels['com.docker.compose.service'] ?? null})),
    ...networks.map(({name}) => ({kind: 'network' as const, name, service: null})),
    ...imageTags.map((name) => ({kind: 'image' as const, name, service: null})),
    ...(folder === null ? [] : [{kind: 'file' as const, name: folder, service: null}]),
  ]
}

function toVolumes({volumes}: ProjectTraces): Trace[] {
  return volumes.map(({name}) => ({kind: 'volume', name, service: null}))
}

async function keepsData({store, sealer}: PreviewParts, {activeDeploymentId, slug}: ProjectRecord): Promise<boolean> {
  const model = (await findOpenRelease(store, sealer, activeDeploymentId))?.model
  return model?.services.some(({hostPaths}) => Object.values(hostPaths).some((place) => place.includes(`/${slug}/${dataFolderName}/`))) ?? false
}

async function fromRelease({store, sealer}: PreviewParts, {activeDeploymentId, slug}: ProjectRecord, kind: 'container' | 'volume'): Promise<Trace[]> {
  const model = (await findOpenRelease(store, sealer, activeDeploymentId))?.model
  if (model === undefined) return []
  if (kind === 'container') return model.services.map(({service: {name}}) => ({kind, name, service: name}))
  return model.volumes.filter(({external}) => !external).map((volume) => ({kind, name: toVolumeName(slug, volume), service: null}))
}
