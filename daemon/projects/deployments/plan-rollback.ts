import {Fault} from '../../../src/contract/faults.js'
import {Deployments} from './records.js'
import type {DeploymentContext} from './deployment-context.js'
import {keptServices, type DeploymentPlan, type KeptService, type PlannedService} from './plan.js'
import type {PlanParts} from './plan-deploy.js'
import {findOpenRelease, type OpenRelease} from './release-book.js'
import {openReleaseSource, toRebuild} from './release-source.js'

/** Plans to bring a kept release back: exactly its images, files and environments. Services that did not change since are left alone. */
export async function planRollback(parts: PlanParts, context: DeploymentContext): Promise<DeploymentPlan> {
  const {store, sealer} = parts
  const {deployment, log, active, book} = context
  const target = await findOpenRelease(store, sealer, deployment.rollbackOf)
  const origin = deployment.rollbackOf === null ? undefined : await store.get(Deployments, deployment.rollbackOf)
  if (target === undefined || origin === undefined) throw new Fault('RELEASE_GONE', 'what is needed to bring this release back is not kept any more')
  log.line(`bring release ${origin.version ?? origin.id} back`)
  await book.patch({branch: origin.branch, commitSha: origin.commitSha, commitMessage: origin.commitMessage})
  const services = await planTarget(context, target)
  const tree = toRebuild(services).length > 0 ? await openReleaseSource(parts, context, {origin, target, services}) : null
  if (tree === null) await book.markStep('clone', 'skipped')
  else await book.markStep('clone', 'completed')
  const {volumes, networks} = target.model
  return {services, volumes, networks, files: {...target.files, ...(active !== null && services.some(({definition}) => definition === null) && active.files)}, texts: target.texts, tree}
}

/** What has to be done on the server for a release to be back. */
export async function planTarget({engine, active, signal}: Pick<DeploymentContext, 'engine' | 'active' | 'signal'>, target: OpenRelease): Promise<readonly PlannedService[]> {
  const present = keptServices(active)
  const services: PlannedService[] = []
  for (const [serviceId, kept] of keptServices(target)) {
    const previous = present.get(serviceId) ?? null
    const {release} = kept
    const plain = {serviceId, name: release.name, previous, mustChange: false, mustBuild: false, hostPaths: kept.released.hostPaths}
    if (previous?.release.changedIn === release.changedIn) {
      services.push({...plain, reason: 'unchanged', definition: null, image: null})
      continue
    }
    const there = await engine.image(release.keptTag, {signal})
    services.push({...plain, reason: 'changed', ...(there?.id === release.imageId ? asItWas(kept) : anew(kept))})
  }
  return services
}

function asItWas({released, release}: KeptService): Pick<PlannedService, 'definition' | 'image'> {
  const {keptTag, imageId, digest, built, fingerprint} = release
  // The reference may name another image by now; the tag of ours names this one.
  return {definition: released.service, image: {imageRef: keptTag, keptTag, imageId, digest, built, fingerprint}}
}

// Somebody took the image from the server.
function anew({released, release}: KeptService): Pick<PlannedService, 'definition' | 'image'> {
  if (release.built) return {definition: released.service, image: null}
  return {definition: {...released.service, build: null, image: release.digest ?? release.imageRef}, image: null}
}
