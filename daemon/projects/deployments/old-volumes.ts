import {labelNames, toProjectName, toVolumeName, withUsedVolumes} from '../../../src/compose/release.js'
import type {StoreReader} from '../../store/store.js'
import {Projects} from '../records.js'
import type {DeploymentContext} from './deployment-context.js'
import {DeploymentFailure} from './deployment-failure.js'
import {toDefinitions, type DeploymentPlan} from './plan.js'
import {dataFolderName, projectFolder} from './release-folders.js'

/** The volumes that a project which is gone left under the names that this one is going to use. */
export interface OldVolumes {
  readonly names: readonly string[]
  readonly toWipe: boolean
}

/**
 * Looks for them before the first release of a project on a server, and says so. The passwords of an installed app are new, and those in its volumes are not: it does not
 * start before somebody decided what is to be done with them.
 */
export async function findOldVolumes(store: StoreReader, context: DeploymentContext, plan: DeploymentPlan): Promise<OldVolumes> {
  const {project, active, deployment, log} = context
  const found = active === null ? await find(store, context, plan) : []
  if (found.length === 0) return {names: [], toWipe: false}
  const wish = deployment.request.oldVolumes
  const names = found.map(({name}) => name)
  const left = `${names.join(', ')} of ${owners(found)}, which is deleted,`
  if (wish === null && project.isApp) {
    throw new DeploymentFailure('volumes', `${left} would be used, and the passwords in there are not those of this install; nothing was started. deploy ${project.slug} --old-volumes wipe starts with empty ones, --old-volumes use takes them as they are`, {
      code: 'OLD_VOLUMES', details: {volumes: names},
    })
  }
  if (wish === 'wipe') log.line(`${left} are taken away before the services start`, {level: 'warn'})
  else log.line(`${left} are used with what is in them${wish === null ? '; --old-volumes wipe would have started with empty ones' : ''}`, {level: 'warn'})
  return {names, toWipe: wish === 'wipe'}
}

/** Takes them away where that was asked for, with what services of the old project kept in its folder. */
export async function wipeOldVolumes({engine, facts, project, log, signal}: DeploymentContext, {names, toWipe}: OldVolumes): Promise<void> {
  if (!toWipe) return
  for (const name of names) {
    await engine.removeVolume(name, {signal})
    log.line(`volume ${name} is taken away`)
  }
  await engine.removeFolder(`${projectFolder(facts, project)}/${dataFolderName}`, {signal})
}

interface Found {
  readonly name: string
  readonly owner: string
}

async function find(store: StoreReader, {engine, project, signal}: DeploymentContext, {volumes, services}: DeploymentPlan): Promise<Found[]> {
  const wanted = withUsedVolumes(volumes, toDefinitions(services)).filter(({external}) => !external).map((volume) => toVolumeName(project.slug, volume))
  if (wanted.length === 0) return []
  const there = await engine.volumes({'com.docker.compose.project': toProjectName(project.slug)}, {signal})
  const found: Found[] = []
  for (const {name, labels} of there) {
    const owner = labels[labelNames.project]
    if (owner === undefined || owner === project.id || !wanted.includes(name) || (await store.get(Projects, owner)) !== undefined) continue
    found.push({name, owner})
  }
  return found
}

function owners(found: readonly Found[]): string {
  return [...new Set(found.map(({owner}) => owner))].join(', ')
}
