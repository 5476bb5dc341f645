import {isDeepStrictEqual} from 'node:util'
import type {ComposeService} from '../../../src/compose/compose-model.js'
import type {ComposeRelease, ReleasedService} from '../../../src/compose/release.js'
import type {ServiceOutcome} from '../../../src/contract/deployments.js'
import type {DeploymentPlan, PlannedService} from './plan.js'
import type {PreparedImage, ReleaseService} from './records.js'
import type {OpenRelease} from './release-book.js'

export interface ComposedService {
  readonly release: ReleaseService
  readonly released: ReleasedService
  readonly changed: boolean
  readonly reason: ServiceOutcome['reason']
}

export interface ComposedRelease {
  readonly model: ComposeRelease
  readonly services: readonly ComposedService[]
  /** Whether it is other than the release that is served. */
  readonly isChanged: boolean
}

export interface ReleaseOwner {
  readonly deployment: {readonly id: string}
  readonly project: {readonly id: string; readonly slug: string; readonly isApp: boolean}
  readonly active: OpenRelease | null
}

/** Puts a release together: what has changed as planned, all else word for word as it is served, so that no engine touches it. */
export function composeRelease(owner: ReleaseOwner, plan: DeploymentPlan, images: ReadonlyMap<string, PreparedImage>): ComposedRelease {
  const services = plan.services.map((service) => composeService(owner, service, images.get(service.serviceId)))
  const {project: {id, slug, isApp}, active} = owner
  const model: ComposeRelease = {projectId: id, slug, loopback: isApp, services: services.map(({released}) => released), volumes: plan.volumes, networks: plan.networks}
  const before = active?.model
  const isChanged = services.some(({changed}) => changed) || services.length !== before?.services.length || !isSame([model.volumes, model.networks], [before.volumes, before.networks])
  return {model: withoutSharedNames(model, services), services, isChanged}
}

function composeService({deployment}: ReleaseOwner, planned: PlannedService, image: PreparedImage | undefined): ComposedService {
  const {serviceId, name, definition, hostPaths, previous, mustChange, reason} = planned
  if (definition === null || image === undefined) {
    if (previous === null) throw new Error(`service ${name} is carried forward from nowhere`)
    return {...previous, changed: false, reason}
  }
  const wished = {service: {...definition, image: null}, hostPaths}
  if (previous !== null && !mustChange && previous.release.imageId === image.imageId && isSame(shapeOf(previous.released), shapeOf(wished))) {
    return {released: previous.released, release: {...previous.release, keptTag: image.keptTag, fingerprint: image.fingerprint}, changed: false, reason: 'unchanged'}
  }
  return {
    released: {...wished, serviceId, deploymentId: deployment.id, image: image.imageRef},
    release: {serviceId, name, ...image, changedIn: deployment.id},
    changed: true,
    reason: reason === 'unchanged' ? 'changed' : reason,
  }
}

// How an image came about is no matter of its container; the image itself is compared on its own.
function shapeOf({service, hostPaths}: {readonly service: ComposeService; readonly hostPaths: Readonly<Record<string, string>>}): unknown {
  return {service: {...service, build: null, image: null}, hostPaths}
}

// Stored models went through JSON, which leaves out what is undefined.
function isSame(one: unknown, other: unknown): boolean {
  return isDeepStrictEqual(JSON.parse(JSON.stringify(one)), JSON.parse(JSON.stringify(other)))
}

// A reference that two services use for different images can name one of them only: the one that is left alone keeps it.
function withoutSharedNames(model: ComposeRelease, services: readonly ComposedService[]): ComposeRelease {
  const held = new Map(services.filter(({changed}) => !changed).map(({released, release}) => [released.image, release.imageId]))
  const renamed = services.map(({released, release, changed}) => {
    const holder = held.get(released.image)
    return changed && holder !== undefined && holder !== release.imageId ? {...released, image: release.keptTag} : released
  })
  return {...model, services: renamed}
}
