import type {deploymentRoutes} from '../../../src/contract/deployments.js'
import type {HandlerResult} from '../../../src/contract/route.js'
import type {Engines} from '../../servers/engine/engine.js'
import type {Sealer} from '../../store/secrets.js'
import type {Store} from '../../store/store.js'
import {Projects} from '../records.js'
import {planTarget} from './plan-rollback.js'
import type {DeploymentRecord} from './records.js'
import {findOpenRelease} from './release-book.js'
import {describeGone, sourceOfRelease, toRebuild} from './release-source.js'

export interface RestorePlanParts {
  readonly store: Store
  readonly sealer: Sealer
  readonly engines: Engines
}

type RestorePlan = HandlerResult<typeof deploymentRoutes.restorePlan>['data']

/** What a rollback to a release would do, without doing it. */
export async function planRestore({store, sealer, engines}: RestorePlanParts, record: DeploymentRecord, signal: AbortSignal): Promise<RestorePlan> {
  const project = await store.get(Projects, record.projectId)
  const target = await findOpenRelease(store, sealer, record.id)
  const none = {needsRepository: false, rebuildServices: [], changedServices: [], untouchedServices: []}
  if (project === undefined || target === undefined || !record.retained) return {...none, mode: 'impossible', reason: 'its images and files are not kept any more'}
  if (target.serverId !== project.serverId) return {...none, mode: 'impossible', reason: 'the project has moved to another server since; its images are not there'}
  const active = (await findOpenRelease(store, sealer, project.activeDeploymentId)) ?? null
  const engine = await engines.engineFor(project.serverId)
  const services = await planTarget({engine, active, signal}, target)
  const rebuilt = toRebuild(services).map(({name}) => name)
  const source = await sourceOfRelease(store, project, record)
  const names = (wanted: (service: (typeof services)[number]) => boolean) => services.filter(wanted).map(({name}) => name)
  const plan = {
    needsRepository: rebuilt.length > 0 && source.kind === 'commit',
    rebuildServices: rebuilt,
    changedServices: names(({definition}) => definition !== null),
    untouchedServices: names(({definition}) => definition === null),
  }
  if (rebuilt.length === 0) return {...plan, mode: 'images'}
  if (source.kind === 'none') return {...plan, mode: 'impossible', reason: describeGone(rebuilt, source.why, project)}
  return {...plan, mode: 'rebuild', reason: `images are gone from the server and are built again from the ${source.kind}`}
}
