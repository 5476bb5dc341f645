import {findDependents} from '../../../src/compose/dependents.js'
import {labelNames, toVolumeName} from '../../../src/compose/release.js'
import {writeCompose} from '../../../src/compose/write-compose.js'
import {Fault} from '../../../src/contract/faults.js'
import type {RecordEvent} from '../../events/event-log.js'
import type {Actor} from '../../events/record.js'
import type {Engine, EngineFacts, Engines} from '../../servers/engine/engine.js'
import type {Sealer} from '../../store/secrets.js'
import type {Store} from '../../store/store.js'
import {Releases} from '../deployments/records.js'
import {findOpenRelease, sealRelease, type OpenRelease} from '../deployments/release-book.js'
import {servedFile} from '../deployments/release-folders.js'
import {takeDown, writeRelease} from '../deployments/switch-release.js'
import {forgetService} from '../forget-service.js'
import {Projects, type ProjectRecord, type ServiceRecord} from '../records.js'
import {containersOf, projectContainers} from './find-containers.js'
import {engineOf, refuseWhileDeploying} from './project-place.js'
import {removeContainer} from './remove-traces.js'

export interface DeleteServiceParts {
  readonly store: Store
  readonly sealer: Sealer
  readonly engines: Engines
  readonly recordEvent: RecordEvent
}

export interface ServiceDeletion {
  readonly project: ProjectRecord
  readonly service: ServiceRecord
  /** Also the volumes that no other service of what is served mounts. */
  readonly wipeVolumes: boolean
  readonly actor: Actor
  readonly signal: AbortSignal
}

/** Deletes a service: first what runs of it, so that a server which does not answer leaves everything as it is. Its volumes stay unless they are to go. */
export async function deleteService(parts: DeleteServiceParts, {project, service, wipeVolumes, actor, signal}: ServiceDeletion): Promise<void> {
  const {store, sealer, recordEvent} = parts
  await refuseWhileDeploying(store, project)
  const active = await findOpenRelease(store, sealer, project.activeDeploymentId)
  const served = active?.services.some(({serviceId}) => serviceId === service.id) === true ? active : undefined
  const change = served === undefined ? undefined : await stopServing(parts, {project, service, served, signal})
  try {
    await store.transaction(async (transaction) => {
      await refuseWhileDeploying(transaction, project)
      if (change?.left === null) {
        const present = await transaction.get(Projects, project.id)
        if (present !== undefined) await transaction.put(Projects, {...present, activeDeploymentId: null, disabledAt: null})
      } else if (change !== undefined) await transaction.put(Releases, sealRelease(sealer, change.left))
      await forgetService(transaction, service)
      await recordEvent(transaction, {type: 'service.changed', organizationId: project.organizationId, resourceType: 'project', resourceId: project.id, actor, payload: {before: {service: service.name}}})
    })
  } catch (error) {
    await change?.undo()
    throw error
  }
  // Only now, as nothing brings them back.
  if (wipeVolumes && served !== undefined) await removeVolumes(await engineOf(parts, project), {project, service, served, signal})
}

interface Serving {
  readonly project: ProjectRecord
  readonly service: ServiceRecord
  readonly served: OpenRelease
  readonly signal: AbortSignal
}

interface ServingChange {
  /** The release without the service; null where there is no other in it. */
  readonly left: OpenRelease | null
  /** Lets the file on the server say again what the release says. */
  readonly undo: () => Promise<void>
}

async function stopServing(parts: DeleteServiceParts, {project, service, served, signal}: Serving): Promise<ServingChange> {
  const dependents = findDependents(service.name, served.model.services.filter(({serviceId}) => serviceId !== service.id).map((released) => released.service))
  if (dependents.length > 0) {
    throw new Fault('CONFLICT', `${dependents.join(', ')} of ${project.name} can not be without ${service.name}; change that and deploy it, or delete it first`, {details: {dependents}})
  }
  const engine = await engineOf(parts, project)
  const facts = await engine.facts({signal})
  const {container, duplicates} = containersOf(service, [service], await projectContainers(engine, project, signal))
  const left = withoutService(served, service.id)
  const undo = async () => {
    // Where this fails, too, the server has gone; the next deployment or restore writes the file anew.
    await writeServed({engine, facts, project, release: served, signal: AbortSignal.timeout(undoMs)}).catch(() => undefined)
  }
  try {
    if (left === null) {
      await takeDown({engine, facts, project, signal, onLine: () => undefined})
      await engine.removeFolder(servedFile(facts, project), {signal})
    } else {
      await writeServed({engine, facts, project, release: left, signal})
      for (const found of [container, ...duplicates]) if (found !== undefined) await removeContainer(engine, found, signal)
    }
    await releaseImage(parts, engine, {project, service, served, signal})
    return {left, undo}
  } catch (error) {
    await undo()
    throw error
  }
}

const undoMs = 10_000

function withoutService(release: OpenRelease, serviceId: string): OpenRelease | null {
  const model = {...release.model, services: release.model.services.filter((released) => released.serviceId !== serviceId)}
  if (model.services.length === 0) return null
  return {...release, model, composeText: writeCompose(model), services: release.services.filter((service) => service.serviceId !== serviceId)}
}

// Volumes of others, and those that Compose did not make for this project, are left alone.
async function removeVolumes(engine: Engine, {project, service, served, signal}: Serving): Promise<void> {
  const mountedBy = (wanted: (serviceId: string) => boolean) =>
    new Set(served.model.services.filter(({serviceId}) => wanted(serviceId)).flatMap((released) => released.service.mounts.flatMap(({type, source}) => (type === 'volume' && source !== null ? [source] : []))))
  const others = mountedBy((id) => id !== service.id)
  const own = [...mountedBy((id) => id === service.id)].filter((key) => !others.has(key))
  const names = served.model.volumes.filter(({key}) => own.includes(key)).map((volume) => toVolumeName(project.slug, volume))
  const made = await engine.volumes({[labelNames.project]: project.id}, {signal})
  for (const {name} of made.filter((volume) => names.includes(volume.name))) await engine.removeVolume(name, {signal})
}

interface ServedPlace {
  readonly engine: Engine
  readonly facts: EngineFacts
  readonly project: ProjectRecord
  readonly release: OpenRelease
  readonly signal: AbortSignal
}

async function writeServed({engine, facts, project, release, signal}: ServedPlace): Promise<void> {
  await writeRelease({engine, facts, project, release, signal})
  await engine.writeFile(servedFile(facts, project), release.composeText, {signal})
}

// Our tag goes unless a release that is kept may need it yet; the image goes with its last tag.
async function releaseImage({store}: DeleteServiceParts, engine: Engine, {project, service, served, signal}: Serving): Promise<void> {
  const tag = served.services.find(({serviceId}) => serviceId === service.id)?.keptTag
  const others = (await store.find(Releases, 'project', [project.id])).filter(({id}) => id !== served.id)
  if (tag !== undefined && !others.some(({services}) => services.some(({keptTag}) => keptTag === tag))) await engine.removeImage(tag, {signal})
}
