import type {ComposeBuild} from '../../../src/compose/compose-model.js'
import type {RunSlots} from '../../jobs/run-slots.js'
import type {ImageFacts} from '../../servers/engine/engine.js'
import {buildImage} from './build-image.js'
import type {DeploymentContext} from './deployment-context.js'
import {DeploymentFailure} from './deployment-failure.js'
import type {DeploymentPlan, PlannedService} from './plan.js'
import {pullImages} from './pull-images.js'
import type {PreparedImage} from './records.js'
import {keptTag} from './release-folders.js'

interface Buildable extends PlannedService {
  readonly build: ComposeBuild
}

/** Brings the images of all services to the server, pulled or built, before anything is stopped. Answers them by the id of the service. */
export async function prepareImages(context: DeploymentContext, plan: DeploymentPlan, slots: RunSlots): Promise<ReadonlyMap<string, PreparedImage>> {
  const prepared = new Map<string, PreparedImage>()
  const toPull: (PlannedService & {readonly ref: string; readonly pullPolicy: unknown})[] = []
  const toBuild: Buildable[] = []
  for (const service of plan.services) {
    const {definition, image} = service
    if (image !== null) prepared.set(service.serviceId, image)
    else if (definition?.build != null) toBuild.push({...service, build: definition.build})
    else if (definition !== null) toPull.push({...service, ref: imageOf(service), pullPolicy: definition.others['pull_policy']})
  }
  // Said before anything is pulled: whoever looks on then knows what is to come.
  if (toPull.length === 0) await context.book.markStep('install', 'skipped')
  if (toBuild.length === 0) await context.book.markStep('build', 'skipped')
  if (toPull.length > 0) {
    const pulled = await inStep(context, 'install', () => pullImages(context, toPull))
    for (const service of toPull) {
      const facts = pulled.get(service.ref)
      if (facts !== undefined) prepared.set(service.serviceId, await keepPulled(context, service, facts))
    }
  }
  if (toBuild.length > 0) {
    const built = await inStep(context, 'build', () => buildAll(context, plan, {toBuild, slots}))
    for (const [serviceId, image] of built) prepared.set(serviceId, image)
  }
  return prepared
}

function imageOf({name, definition}: PlannedService): string {
  const image = definition?.image
  if (image == null || image === '') throw new DeploymentFailure('source', `service ${name} has neither an image nor a build`, {service: name, code: 'NOTHING_TO_DEPLOY'})
  return image
}

async function inStep<T>({book, log}: DeploymentContext, step: 'install' | 'build', work: () => Promise<T>): Promise<T> {
  log.begin(step)
  await book.markStep(step, 'running')
  const result = await work()
  await log.flush()
  await book.markStep(step, 'completed')
  return result
}

// The reference may name another image tomorrow; the tag of ours goes on naming this one.
async function keepPulled({project, deployment, engine, signal}: DeploymentContext, {name, ref, previous}: PlannedService & {readonly ref: string}, facts: ImageFacts): Promise<PreparedImage> {
  const before = previous?.release
  const isSame = before !== undefined && !before.built && before.imageId === facts.id && before.imageRef === ref
  const tag = isSame ? before.keptTag : keptTag(project, name, deployment.id)
  await engine.tag(facts.id, tag, {signal})
  return {imageRef: ref, keptTag: tag, imageId: facts.id, digest: facts.digests[0] ?? null, built: false, fingerprint: null}
}

interface Builds {
  readonly toBuild: readonly Buildable[]
  readonly slots: RunSlots
}

async function buildAll(context: DeploymentContext, plan: DeploymentPlan, {toBuild, slots}: Builds): Promise<ReadonlyMap<string, PreparedImage>> {
  const {engine, log, signal, book} = context
  const built = new Map<string, PreparedImage>()
  const free = await slots.acquire(engine.serverId, signal)
  const begun = performance.now()
  try {
    // One after another: builds share the cache of the engine and the machine that serves people meanwhile.
    for (const service of toBuild) {
      await book.markService(service.serviceId, {status: 'building'})
      const image = await buildImage(context, service, plan.tree)
      built.set(service.serviceId, image)
      await book.markService(service.serviceId, {status: 'built', imageRef: image.imageRef, imageDigest: image.digest})
      await log.flush()
    }
  } finally {
    free()
  }
  await book.patch({buildDurationMs: Math.round(performance.now() - begun)})
  return built
}
