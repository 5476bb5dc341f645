import type {projectRoutes} from '../../src/contract/projects.js'
import type {HandlerResult} from '../../src/contract/route.js'
import type {Actor} from '../events/record.js'
import type {ProjectRecord} from './records.js'

export interface DeletionWish {
  readonly force?: boolean | undefined
  readonly forceOrphan?: boolean | undefined
  readonly wipeVolumes?: boolean | undefined
  readonly recordOnly?: boolean | undefined
  readonly actor: Actor
}

/** What is done with a project on its server. */
export interface ProjectRuntime {
  previewDeletion(project: ProjectRecord, wish: {readonly wipeVolumes: boolean}, signal: AbortSignal): Promise<HandlerResult<typeof projectRoutes.deletionPreview>['data']>
  deleteProject(project: ProjectRecord, wish: DeletionWish, signal: AbortSignal): Promise<HandlerResult<typeof projectRoutes.delete>>
  startProject(project: ProjectRecord, signal: AbortSignal, actor: Actor): Promise<void>
  stopProject(project: ProjectRecord, signal: AbortSignal, actor: Actor): Promise<void>
}
