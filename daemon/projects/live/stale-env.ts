import {layerEnvironment} from '../../../src/catalog/layer-environment.js'
import type {Sealer} from '../../store/secrets.js'
import type {StoreReader} from '../../store/store.js'
import {Deployments} from '../deployments/records.js'
import {inlineEnvironments} from '../deployments/kept-texts.js'
import {findOpenRelease} from '../deployments/release-book.js'
import {openEnv} from '../env-book.js'
import type {ProjectRecord, ServiceRecord} from '../records.js'

/** The variables whose values are other than those that the container of a service was made with. */
export async function staleEnvKeys({store, sealer}: {readonly store: StoreReader; readonly sealer: Sealer}, project: ProjectRecord, service: ServiceRecord): Promise<string[]> {
  const release = await findOpenRelease(store, sealer, project.activeDeploymentId)
  const made = release?.model.services.find(({serviceId}) => serviceId === service.id)?.service.environment
  if (made === undefined || release === undefined) return []
  const environment = (await store.get(Deployments, release.id))?.environment ?? project.environmentType
  const scope = {organizationId: project.organizationId, projectId: project.id, environment}
  const [variables, own] = await Promise.all([openEnv(store, sealer, {...scope, serviceId: null}), openEnv(store, sealer, {...scope, serviceId: service.id})])
  const inline = await inlineEnvironments(sealer, [service], {project, texts: release.texts, variables})
  const now = layerEnvironment({project: variables, inline: inline.get(service.name) ?? {}, rows: own}).environment
  const keys = new Set([...Object.keys(made), ...Object.keys(now)])
  return [...keys].filter((key) => made[key] !== now[key]).sort()
}
