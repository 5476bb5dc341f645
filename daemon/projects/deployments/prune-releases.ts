import {describeError, type Log} from '../../log.js'
import type {Engines} from '../../servers/engine/engine.js'
import type {Sealer} from '../../store/secrets.js'
import type {Store, Transaction} from '../../store/store.js'
import {Projects, type ProjectRecord} from '../records.js'
import {Deployments, Releases, type DeploymentRecord, type ReleaseRecord} from './records.js'
import {openRelease} from './release-book.js'
import {projectFolder, releaseFolder} from './release-folders.js'

export interface PruneParts {
  readonly store: Store
  readonly sealer: Sealer
  readonly engines: Engines
  readonly log: Log
}

type Pruned = Pick<ProjectRecord, 'id' | 'slug'>

const usualWindow = 5

/** Lets go of the releases beyond the window of a project: first of the records, so that nobody is offered them, then of images and files. */
export async function pruneReleases(parts: PruneParts, project: Pruned, signal: AbortSignal): Promise<void> {
  const {dropped, kept} = await parts.store.transaction((transaction) => dropReleases(transaction, project.id))
  for (const release of dropped) {
    try {
      await removeRelease(parts, project, {release, kept, signal})
    } catch (error) {
      // What stays takes room and does no harm.
      parts.log.warn('an old release could not be taken from its server', {deployment: release.id, error: describeError(error)})
    }
  }
}

/** Takes from its server what only this release of a project needs: our tags of its images, and its files. */
export async function removeRelease({sealer, engines}: Pick<PruneParts, 'sealer' | 'engines'>, project: Pruned, {release, kept, signal}: {readonly release: ReleaseRecord; readonly kept: readonly ReleaseRecord[]; readonly signal: AbortSignal}): Promise<void> {
  const engine = await engines.engineFor(release.serverId)
  const facts = await engine.facts({signal})
  const keptTags = new Set(kept.flatMap(({services}) => services.map((service) => service.keptTag)))
  const keptFiles = new Set(kept.flatMap((other) => fileFolders(sealer, other)))
  await engine.removeFolder(releaseFolder(facts, project, release.id), {signal})
  for (const {keptTag} of release.services) if (!keptTags.has(keptTag)) await engine.removeImage(keptTag, {signal})
  for (const folder of fileFolders(sealer, release)) if (!keptFiles.has(folder)) await engine.removeFolder(`${projectFolder(facts, project)}/${folder}`, {signal})
}

async function dropReleases(transaction: Transaction, projectId: string): Promise<{dropped: ReleaseRecord[]; kept: ReleaseRecord[]}> {
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
