import {Fault} from '../../../src/contract/faults.js'
import type {StoreReader} from '../../store/store.js'
import type {ProjectRecord} from '../records.js'
import {UploadSessions} from '../sources/records.js'
import type {SourceTree} from '../sources/source.js'
import {fingerprintOf} from './build-image.js'
import {chooseSource} from './choose-source.js'
import type {DeploymentContext} from './deployment-context.js'
import {openSource} from './open-source.js'
import type {PlanParts} from './plan-deploy.js'
import type {PlannedService} from './plan.js'
import type {DeploymentRecord} from './records.js'
import type {OpenRelease} from './release-book.js'

/** What images of an older release can be built from again. */
export type ReleaseSource =
  | {readonly kind: 'commit'; readonly commitSha: string}
  | {readonly kind: 'upload'; readonly uploadId: string}
  /** Of an installed app, or written down in its services. */
  | {readonly kind: 'definition'}
  | {readonly kind: 'none'; readonly why: string}

export async function sourceOfRelease(store: StoreReader, project: ProjectRecord, {commitSha, request: {uploadId}}: Pick<DeploymentRecord, 'commitSha' | 'request'>): Promise<ReleaseSource> {
  if (uploadId !== null) {
    const upload = await store.get(UploadSessions, uploadId)
    return upload?.receivedAt != null ? {kind: 'upload', uploadId} : {kind: 'none', why: 'the upload that they were built from is not kept any more'}
  }
  const {kind} = chooseSource(project, null)
  if (kind === 'git' && commitSha !== null) return {kind: 'commit', commitSha}
  if (kind === 'services') return {kind: 'definition'}
  return {kind: 'none', why: 'there is neither a commit nor an upload to build them from again'}
}

/** Words for who meant to bring such a release back. */
export function describeGone(names: readonly string[], why: string, {slug}: Pick<ProjectRecord, 'slug'>): string {
  return `images of this release (${names.join(', ')}) are gone from the server, and ${why}; deploy ${slug} builds what the source holds now`
}

/** Those whose image has to be built again. */
export function toRebuild(services: readonly PlannedService[]): readonly PlannedService[] {
  return services.filter(({definition, image}) => image === null && definition?.build != null)
}

/** Opens what images of a release are built from again; null where that is all written down in its services. */
export async function openReleaseSource(parts: PlanParts, context: DeploymentContext, {origin, target, services}: {readonly origin: DeploymentRecord; readonly target: OpenRelease; readonly services: readonly PlannedService[]}): Promise<SourceTree | null> {
  const {deployment, project} = context
  const source = await sourceOfRelease(parts.store, project, origin)
  const names = toRebuild(services).map(({name}) => name)
  if (source.kind === 'none') throw new Fault('RELEASE_GONE', describeGone(names, source.why, project))
  const uploadId = source.kind === 'upload' ? source.uploadId : null
  const request = {...deployment.request, uploadId, useExistingCommit: source.kind === 'commit'}
  const app = source.kind === 'definition' ? await parts.readAppContent(project) : null
  const tree = await openSource(parts, {...context, deployment: {...deployment, commitSha: origin.commitSha, branch: origin.branch, request}}, app)
  if (source.kind === 'definition' && tree !== null && !(await isOfRelease(tree, target, services))) {
    await tree.dispose()
    throw new Fault('RELEASE_GONE', describeGone(names, 'the app was updated since', project))
  }
  return tree
}

// The definition of an app is kept as it is now alone.
async function isOfRelease(tree: SourceTree, target: OpenRelease, services: readonly PlannedService[]): Promise<boolean> {
  for (const {serviceId, definition} of toRebuild(services)) {
    const kept = target.services.find((service) => service.serviceId === serviceId)
    if (definition?.build != null && (await fingerprintOf(tree, definition.build)) !== kept?.fingerprint) return false
  }
  return true
}
