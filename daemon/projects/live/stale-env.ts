import type {Sealer} from '../../store/secrets.js'
import type {StoreReader} from '../../store/store.js'
import {environmentsOfNow} from '../deployments/environments-of-now.js'
import {Deployments} from '../deployments/records.js'
import {findOpenRelease} from '../deployments/release-book.js'
import type {ProjectRecord, ServiceRecord} from '../records.js'

/** The variables whose values are other than those that the container of a service was made with. */
export async function staleEnvKeys(parts: {readonly store: StoreReader; readonly sealer: Sealer}, project: ProjectRecord, service: ServiceRecord): Promise<string[]> {
  const {store, sealer} = parts
  const release = await findOpenRelease(store, sealer, project.activeDeploymentId)
  const made = release?.model.services.find(({serviceId}) => serviceId === service.id)?.service.environment
  if (made === undefined || release === undefined) return []
  const environment = (await store.get(Deployments, release.id))?.environment ?? project.environmentType
  const now = (await environmentsOfNow(parts, {project, services: [service], environment, texts: release.texts})).get(service.id) ?? {}
  const keys = new Set([...Object.keys(made), ...Object.keys(now)])
  return [...keys].filter((key) => made[key] !== now[key]).sort()
}
