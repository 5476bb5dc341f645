import type {ComposeNetwork} from '../../../src/compose/compose-model.js'
import {Fault} from '../../../src/contract/faults.js'
import {isLinkNetwork, joinLinks} from '../connections/link-networks.js'
import {servicesOf} from '../service-handlers.js'
import type {DeploymentContext} from './deployment-context.js'
import {environmentsOfNow} from './environments-of-now.js'
import {keptServices, type DeploymentPlan, type KeptService, type PlannedService} from './plan.js'
import {findLinks} from './find-links.js'
import type {PlanParts} from './plan-deploy.js'
import {Deployments} from './records.js'
import {carriedLinks} from './release-resources.js'

/** Plans to make containers anew from the images that are served, with the variables of now. Asks no repository and no registry. */
export async function planRefresh(parts: PlanParts, context: DeploymentContext): Promise<DeploymentPlan> {
  const {active, deployment, project, book, log} = context
  if (active === null) throw new Fault('NOTHING_DEPLOYED', 'nothing is deployed on this server that could be refreshed')
  const served = await parts.store.get(Deployments, active.id)
  await book.patch({branch: served?.branch ?? null, commitSha: served?.commitSha ?? null, commitMessage: served?.commitMessage ?? null})
  await book.markStep('clone', 'skipped')
  log.line('take the images that are served, with the variables of now')
  const links = await findLinks(parts, context)
  const targets = deployment.targetServiceIds
  const services = await servicesOf(parts.store, project.id)
  // One that is described no more is not among them.
  const environments = await environmentsOfNow(parts, {project, services, environment: deployment.environment, texts: active.texts})
  const change = {before: active.model.networks, links}
  const planned = [...keptServices(active)].map(([serviceId, kept]) => {
    const isWanted = targets === null || targets.includes(serviceId)
    return toPlanned(kept, isWanted ? environments.get(serviceId) ?? {...kept.released.service.environment} : undefined, change)
  })
  const others = active.model.networks.filter((network) => !isLinkNetwork(network))
  const networks = [...others, ...missingFrom(carriedLinks(planned, active), links), ...links]
  return {services: planned, volumes: active.model.volumes, networks, files: active.files, texts: active.texts, tree: null}
}

function missingFrom(networks: readonly ComposeNetwork[], present: readonly ComposeNetwork[]): readonly ComposeNetwork[] {
  return networks.filter(({key}) => !present.some((network) => network.key === key))
}

interface LinkChange {
  readonly before: readonly ComposeNetwork[]
  readonly links: readonly ComposeNetwork[]
}

function toPlanned(kept: KeptService, environment: Record<string, string> | undefined, {before, links}: LinkChange): PlannedService {
  const {released, release} = kept
  const plain = {serviceId: release.serviceId, name: release.name, previous: kept, mustBuild: false, hostPaths: released.hostPaths}
  if (environment === undefined) return {...plain, reason: 'unchanged', definition: null, mustChange: false, image: null}
  const {keptTag, imageId, digest, built, fingerprint} = release
  return {...plain, reason: 'manual', definition: joinLinks({...released.service, environment}, links, before), mustChange: true, image: {imageRef: released.image, keptTag, imageId, digest, built, fingerprint}}
}
