import {Fault} from '../../src/contract/faults.js'
import {toInstant, type Clock} from '../clock.js'
import type {RecordEvent} from '../events/event-log.js'
import type {Actor} from '../events/record.js'
import type {Engines} from '../servers/engine/engine.js'
import type {OutputStore} from '../store/output.js'
import type {Sealer} from '../store/secrets.js'
import type {Store} from '../store/store.js'
import {makeLinkNetworks, rejoinConsumers} from './connections/link-networks.js'
import {findOpenRelease} from './deployments/release-book.js'
import {composeArgs, projectFolder} from './deployments/release-folders.js'
import {deleteProject} from './live/delete-project.js'
import {previewDeletion} from './live/preview-deletion.js'
import {engineOf, nothingDeployed, refuseWhileDeploying} from './live/project-place.js'
import type {ProjectRuntime} from './project-runtime.js'
import {Projects, type ProjectRecord} from './records.js'
import type {Sources} from './sources/source.js'

export interface RuntimeParts {
  readonly store: Store
  readonly outputs: OutputStore
  readonly clock: Clock
  readonly sealer: Sealer
  readonly engines: Engines
  readonly recordEvent: RecordEvent
  readonly sources: Pick<Sources, 'forget'>
  readonly limits?: {readonly cancelMs: number; readonly cleanupMs: number}
}

const defaultLimits = {cancelMs: 60_000, cleanupMs: 120_000}

/** What is done with whole projects on their servers. */
export function createProjectRuntime(parts: RuntimeParts): ProjectRuntime {
  const limits = parts.limits ?? defaultLimits
  // The mark in the record keeps deployments away; this keeps a second deletion away.
  const deleting = new Set<string>()
  return {
    previewDeletion: (project, {wipeVolumes}, signal) => previewDeletion(parts, project, {wipeVolumes, signal}),
    async deleteProject(project, wish, signal) {
      if (deleting.has(project.id)) throw new Fault('PROJECT_DELETION_IN_PROGRESS', `${project.name} is being deleted`)
      deleting.add(project.id)
      try {
        return await deleteProject({...parts, limits}, project, wish, signal)
      } finally {
        deleting.delete(project.id)
      }
    },
    startProject: (project, signal, actor) => switchProject(parts, project, {isOn: true, signal, actor}),
    stopProject: (project, signal, actor) => switchProject(parts, project, {isOn: false, signal, actor}),
  }
}

interface Switch {
  readonly isOn: boolean
  readonly signal: AbortSignal
  readonly actor: Actor
}

async function switchProject(parts: RuntimeParts, project: ProjectRecord, {isOn, signal, actor}: Switch): Promise<void> {
  const {store, clock, recordEvent} = parts
  if (project.activeDeploymentId === null) throw nothingDeployed(project)
  await refuseWhileDeploying(store, project)
  const engine = await engineOf(parts, project)
  const facts = await engine.facts({signal})
  const words = isOn ? ['up', '-d', '--no-build'] : ['stop']
  const link = {engine, signal, onLine: () => undefined}
  if (isOn) await makeLinkNetworks((await findOpenRelease(store, parts.sealer, project.activeDeploymentId))?.model.networks ?? [], link)
  const {exitCode, stderr} = await engine.compose(composeArgs(project, ...words), {cwd: projectFolder(facts, project), signal})
  if (exitCode !== 0) throw new Fault('CONFLICT', `${project.name} could not be ${isOn ? 'started' : 'stopped'}: ${stderr.trim().split('\n').at(-1) ?? ''}`)
  if (isOn) await rejoinConsumers(project, link)
  await store.transaction(async (transaction) => {
    const present = await transaction.get(Projects, project.id)
    if (present === undefined || (present.disabledAt === null) === isOn) return
    const now = toInstant(clock.now())
    await transaction.put(Projects, {...present, disabledAt: isOn ? null : now, updatedAt: now})
    await recordEvent(transaction, {
      type: 'project.updated', organizationId: present.organizationId, resourceType: 'project', resourceId: present.id, actor,
      payload: {before: {enabled: !isOn}, after: {enabled: isOn}},
    })
  })
}
