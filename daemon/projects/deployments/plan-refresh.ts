import {layerEnvironment} from '../../../src/catalog/layer-environment.js'
import {Fault} from '../../../src/contract/faults.js'
import {openEnv} from '../env-book.js'
import {projectUrls} from '../public-urls.js'
import {servicesOf} from '../service-handlers.js'
import type {DeploymentContext} from './deployment-context.js'
import {dressEnvironment} from './dress-service.js'
import {inlineEnvironments} from './kept-texts.js'
import {keptServices, type DeploymentPlan, type KeptService, type PlannedService} from './plan.js'
import type {PlanParts} from './plan-deploy.js'
import {Deployments} from './records.js'
import type {OpenRelease} from './release-book.js'

/** Plans to make containers anew from the images that are served, with the variables of now. Asks no repository and no registry. */
export async function planRefresh(parts: PlanParts, context: DeploymentContext): Promise<DeploymentPlan> {
  const {active, deployment, book, log} = context
  if (active === null) throw new Fault('NOTHING_DEPLOYED', 'nothing is deployed on this server that could be refreshed')
  const served = await parts.store.get(Deployments, active.id)
  await book.patch({branch: served?.branch ?? null, commitSha: served?.commitSha ?? null, commitMessage: served?.commitMessage ?? null})
  await book.markStep('clone', 'skipped')
  log.line('take the images that are served, with the variables of now')
  const targets = deployment.targetServiceIds
  const environments = await environmentsOf(parts, context, active)
  const services = [...keptServices(active)].map(([serviceId, kept]) => toPlanned(kept, targets === null || targets.includes(serviceId) ? environments.get(serviceId) ?? {...kept.released.service.environment} : undefined))
  return {services, volumes: active.model.volumes, networks: active.model.networks, files: active.files, texts: active.texts, tree: null}
}

function toPlanned(kept: KeptService, environment: Record<string, string> | undefined): PlannedService {
  const {released, release} = kept
  const plain = {serviceId: release.serviceId, name: release.name, previous: kept, mustBuild: false, hostPaths: released.hostPaths}
  if (environment === undefined) return {...plain, reason: 'unchanged', definition: null, mustChange: false, image: null}
  const {keptTag, imageId, digest, built, fingerprint} = release
  return {...plain, reason: 'manual', definition: {...released.service, environment}, mustChange: true, image: {imageRef: released.image, keptTag, imageId, digest, built, fingerprint}}
}

/** By the id of the service; one that is described no more is not among them. */
async function environmentsOf({store, sealer}: PlanParts, {project, deployment}: DeploymentContext, {texts}: OpenRelease): Promise<ReadonlyMap<string, Record<string, string>>> {
  const scope = {organizationId: project.organizationId, projectId: project.id, environment: deployment.environment}
  const variables = await openEnv(store, sealer, {...scope, serviceId: null})
  const rows = await servicesOf(store, project.id)
  const inline = await inlineEnvironments(sealer, rows, {project, texts, variables})
  const urls = project.isApp ? (await projectUrls(store, project)).urls : null
  const environments = await Promise.all(rows.map(async ({id, name}) => {
    const own = await openEnv(store, sealer, {...scope, serviceId: id})
    const {environment} = layerEnvironment({project: variables, inline: inline.get(name) ?? {}, rows: own})
    return [id, urls === null ? {...environment} : {...dressEnvironment({name, environment}, urls).environment}] as const
  }))
  return new Map(environments)
}
