import type {RecordEvent} from '../../events/event-log.js'
import type {RunSlots} from '../../jobs/run-slots.js'
import type {Log} from '../../log.js'
import type {Runner} from '../../servers/runner.js'
import {Releases} from './records.js'
import {writeCompose} from '../../../src/compose/write-compose.js'
import {toInstant} from '../../clock.js'
import {refuseFullDisk} from './check-disk.js'
import {refuseCollisions, wantedPorts} from './check-ports.js'
import {clearCommands} from './clear-commands.js'
import {composeRelease, type ComposedRelease} from './compose-release.js'
import type {DeploymentContext} from './deployment-context.js'
import type {DeploymentInHand} from './deployment-run.js'
import {DeploymentCancelled} from './deployment-signals.js'
import {findOldVolumes, wipeOldVolumes, type OldVolumes} from './old-volumes.js'
import {planDeploy, type PlanParts} from './plan-deploy.js'
import {toDefinitions, type DeploymentPlan} from './plan.js'
import {planRefresh} from './plan-refresh.js'
import {planRollback} from './plan-rollback.js'
import {refusePluginKeys} from './refuse-plugin-keys.js'
import {refuseForeign} from './refuse-foreign.js'
import {describeEngine, prepareContext, type ContextParts} from './prepare-context.js'
import {prepareImages} from './prepare-images.js'
import {sealRelease, type OpenRelease} from './release-book.js'
import type {AfterHealthy} from './run-after-healthy.js'
import {settlePort} from './settle-port.js'
import {startRelease} from './start-release.js'
import {writeRelease} from './switch-release.js'

export interface CarryOutParts extends PlanParts, ContextParts {
  readonly log: Log
  readonly recordEvent: RecordEvent
  /** Builds at once, and on one server. */
  readonly slots: RunSlots
  readonly runnerFor: (serverId: string) => Promise<Runner>
  readonly afterHealthy: AfterHealthy
  /** How long a container without a health check runs before it counts as up. */
  readonly settleMs: number
}

/** A release whose services are up. */
export interface CarriedOut {
  readonly context: DeploymentContext
  readonly release: OpenRelease
  /** Nothing differs from what was served. */
  readonly isSame: boolean
}

/** Carries a deployment out from its beginning until its services are up. Nothing on the server is stopped before everything that can fail without that has been done. */
export async function carryOut(parts: CarryOutParts, run: DeploymentInHand): Promise<CarriedOut> {
  const {book, log, signals} = run
  log.begin('prepare')
  await book.markStep('prepare', 'running')
  const context = await prepareContext(parts, {...run, signal: signals.early})
  await book.patch({serverId: context.project.serverId})
  log.line(describeEngine(context))
  const room = parts.runnerFor(context.engine.serverId).then((runner) => refuseFullDisk(runner, context.facts, signals.early))
  // Asked while the source is read; it is heard before anything is written to the server.
  room.catch(() => undefined)
  await refuseForeign(parts.store, context)
  await log.flush()
  await book.markStep('prepare', 'completed')
  const plan = await planFor(parts, context)
  try {
    await announce(context, plan)
    refusePluginKeys(context, plan)
    const [, , old] = await Promise.all([room, refusePorts(context, plan), findOldVolumes(parts.store, context, plan)])
    const images = await prepareImages(context, plan, parts.slots)
    const settled = await settlePort(parts, context, {plan: await clearCommands(context, plan, images), images})
    const composed = composeRelease({...context, deployment: run.deployment}, settled, images)
    return await putInPlace(parts, run, {context, plan: settled, composed, old})
  } finally {
    await plan.tree?.dispose()
  }
}

function planFor(parts: PlanParts, context: DeploymentContext): Promise<DeploymentPlan> {
  switch (context.deployment.request.kind) {
    case 'deploy':
      return planDeploy(parts, context)
    case 'refresh':
      return planRefresh(parts, context)
    case 'rollback':
      return planRollback(parts, context)
  }
}

async function announce({book, log}: DeploymentContext, {services}: DeploymentPlan): Promise<void> {
  await log.flush()
  await book.setOutcomes(services.map(({serviceId, name, reason, definition}) => ({serviceId, serviceName: name, reason, status: definition === null ? 'skipped' : 'pending'})))
}

// Before images are fetched or built, so that nobody waits for a deployment that can not start.
async function refusePorts({engine, project, signal}: DeploymentContext, {services}: DeploymentPlan): Promise<void> {
  const wanted = wantedPorts(toDefinitions(services), project.isApp)
  if (wanted.some(({hostPort}) => hostPort !== null)) refuseCollisions(wanted, await engine.takenPorts({signal}), project.id)
}

interface Composed {
  readonly context: DeploymentContext
  readonly plan: DeploymentPlan
  readonly composed: ComposedRelease
  readonly old: OldVolumes
}

async function putInPlace(parts: CarryOutParts, run: DeploymentInHand, {context, plan, composed, old}: Composed): Promise<CarriedOut> {
  const {book, log, signals} = run
  const {active} = context
  const isSame = active !== null && !composed.isChanged && (await isSameCommit(run, active))
  const release = isSame ? active : freeze(parts, context, {plan, composed})
  const changed = new Set(composed.services.filter((service) => service.changed).map(({release: {serviceId}}) => serviceId))
  await book.markServices(new Map(composed.services.map(({release: service, changed: isNew, reason}) => [service.serviceId, {
    reason, status: isNew ? 'deploying' as const : 'skipped' as const, imageRef: service.imageRef, imageDigest: service.digest,
  }])))
  log.begin('deploy')
  log.line(changed.size === 0 ? 'nothing differs; what is served is made sure of' : `start ${composed.services.filter((service) => service.changed).map(({release: {name}}) => name).join(', ')}`)
  // What was pulled and built may have taken the room that a container needs to start; then the one that runs must not be stopped.
  if (!isSame) await Promise.all([writeRelease({...context, release, signal: signals.early}), refuseFullDisk(await parts.runnerFor(context.engine.serverId), context.facts, signals.early)])
  await wipeOldVolumes({...context, signal: signals.early}, old)
  await beginSwitch(parts, run, isSame ? null : release)
  await startRelease(parts, run, {context, release, changed})
  return {context, release, isSame}
}

async function isSameCommit({book, deployment}: DeploymentInHand, active: OpenRelease): Promise<boolean> {
  if (deployment.request.kind === 'rollback') return false
  return (await book.commitOf(active.id)) === (await book.commitOf(deployment.id))
}

function freeze({clock}: CarryOutParts, {deployment, project}: DeploymentContext, {plan, composed}: Pick<Composed, 'plan' | 'composed'>): OpenRelease {
  return {
    id: deployment.id, projectId: project.id, organizationId: project.organizationId, serverId: project.serverId,
    services: composed.services.map(({release}) => release),
    createdAt: toInstant(clock.now()),
    composeText: writeCompose(composed.model),
    model: composed.model,
    files: plan.files,
    texts: plan.texts,
  }
}

// From here on a restart of the daemon has to look at the server, and finds here what it should look like.
async function beginSwitch({sealer}: CarryOutParts, {book, signals}: DeploymentInHand, release: OpenRelease | null): Promise<void> {
  signals.early.throwIfAborted()
  await book.change(async (transaction, record) => {
    if (record.request.cancelRequestedBy !== null) throw new DeploymentCancelled()
    if (release !== null) await transaction.insert(Releases, sealRelease(sealer, release))
    return book.put(transaction, {...record, stage: 'up'})
  })
}

