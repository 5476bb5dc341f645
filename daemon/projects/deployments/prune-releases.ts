import {describeError, type Log} from '../../log.js'
import type {Engine, EngineFacts} from '../../servers/engine/engine.js'
import type {Sealer} from '../../store/secrets.js'
import type {Store, Transaction} from '../../store/store.js'
import {Projects, type ProjectRecord} from '../records.js'
import {Deployments, Releases, type DeploymentRecord, type ReleaseRecord} from './records.js'
import {openRelease} from './release-book.js'
import {projectFolder, releaseFolder} from './release-folders.js'

export interface PruneParts {
  readonly store: Store
  readonly sealer: Sealer
  readonly log: Log
}

export interface PrunePlace {
  readonly engine: Engine
  readonly facts: EngineFacts
  readonly project: Pick<ProjectRecord, 'id' | 'slug'>
  readonly signal: AbortSignal
}

const usualWindow = 5

/** Lets go of the releases beyond the window of a project: first of the records, so that nobody is offered them, then of images and files. */
export async function pruneReleases(parts: PruneParts, place: PrunePlace): Promise<void> {
  await removeReleases(parts, place, await parts.store.transaction((transaction) => dropReleases(transaction, place.project.id)))
}

export interface ReleaseChoice {
  readonly dropped: readonly ReleaseRecord[]
  /** What they need stays. */
  readonly kept: readonly ReleaseRecord[]
}

/** Takes images and files of releases from their server. */
export async function removeReleases({sealer, log}: Pick<PruneParts, 'sealer' | 'log'>, {engine, facts, project, signal}: PrunePlace, {dropped, kept}: ReleaseChoice): Promise<void> {
  const keptTags = new Set(kept.flatMap(({services}) => services.map((service) => service.keptTag)))
  const keptFiles = new Set(kept.flatMap((release) => fileFolders(sealer, release)))
  for (const release of dropped) {
    try {
      await engine.removeFolder(releaseFolder(facts, project, release.id), {signal})
      for (const {keptTag} of release.services) if (!keptTags.has(keptTag)) await engine.removeImage(keptTag, {signal})
      for (const folder of fileFolders(sealer, release)) if (!keptFiles.has(folder)) await engine.removeFolder(`${projectFolder(facts, project)}/${folder}`, {signal})
    } catch (error) {
      // What stays takes room and does no harm; the deployment was a success all the same.
      log.warn('an old release could not be taken from its server', {deployment: release.id, error: describeError(error)})
    }
  }
}

async function dropReleases(transaction: Transaction, projectId: string): Promise<ReleaseChoice> {
  const project = await transaction.get(Projects, projectId)
  const releases = await transaction.find(Releases, 'project', [projectId])
  const window = project?.rollbackWindow ?? usualWindow
  const records = await Promise.all(releases.map(({id}) => transaction.get(Deployments, id)))
  const wanted = await rollbackTargets(transaction, projectId)
  const candidates = records.filter((record): record is DeploymentRecord => record?.retained === true && !record.pinned && record.id !== project?.activeDeploymentId && !wanted.has(record.id))
  const old = new Set(candidates.sort((a, b) => (a.createdAt < b.createdAt ? 1 : -1)).slice(window).map(({id}) => id))
  for (const record of candidates) {
    if (!old.has(record.id)) continue
    await transaction.put(Deployments, {...record, retained: false})
    await transaction.delete(Releases, record.id)
  }
  return {dropped: releases.filter(({id}) => old.has(id)), kept: releases.filter(({id}) => !old.has(id))}
}

// What somebody was told will come back.
async function rollbackTargets(transaction: Transaction, projectId: string): Promise<ReadonlySet<string | null>> {
  const open = await Promise.all((['active', 'waiting'] as const).map((slot) => transaction.findOne(Deployments, 'slot', [projectId, slot])))
  return new Set(open.flatMap((deployment) => (deployment === undefined ? [] : [deployment.rollbackOf])))
}

// `files/<hash>/<name>`: the folder of the hash goes as a whole.
function fileFolders(sealer: Sealer, release: ReleaseRecord): string[] {
  return [...new Set(Object.keys(openRelease(sealer, release).files).map((path) => path.split('/').slice(0, 2).join('/')))]
}
