import {Fault} from '../../src/contract/faults.js'
import type {Store} from '../store/store.js'
import type {ProjectRuntime} from './project-runtime.js'
import {Projects, type ProjectRecord} from './records.js'

/** A runtime that reaches no server: it forgets projects of which nothing is deployed, and says so of the others. To be replaced by the live one. */
export function nothingDeployedRuntime(store: Store): ProjectRuntime {
  const refuse = (project: ProjectRecord): never => {
    throw new Fault('NOTHING_DEPLOYED', `nothing of ${project.name} is deployed that could be started or stopped`)
  }
  return {
    previewDeletion: async () => ({reachable: true, removed: [], kept: [], activeDeploymentIds: []}),
    async deleteProject(project, {recordOnly}) {
      if (project.activeDeploymentId !== null && recordOnly !== true) refuse(project)
      await store.transaction((transaction) => transaction.delete(Projects, project.id))
      return {ok: true, message: 'Project deleted', steps: [{step: 'delete_db_row', status: 'ok'}], orphaned: [], unlinked: []}
    },
    startProject: async (project) => refuse(project),
    stopProject: async (project) => refuse(project),
  }
}
