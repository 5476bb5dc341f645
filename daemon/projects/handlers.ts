import {invalidInput} from '../../src/contract/faults.js'
import type {projectRoutes} from '../../src/contract/projects.js'
import {allows} from '../access/decide.js'
import {toInstant, type Clock} from '../clock.js'
import type {RecordEvent} from '../events/event-log.js'
import type {Handlers, RequestContext} from '../http/handlers.js'
import {listPage} from '../http/pages.js'
import type {Sealer} from '../store/secrets.js'
import type {Store} from '../store/store.js'
import {createProject} from './add-project.js'
import {applyChange, type Change} from './apply-change.js'
import {createDeployKeyHandlers} from './deploy-key.js'
import {createEnvHandlers} from './env-handlers.js'
import {getProject, projectRef} from './find-project.js'
import type {ProjectRuntime} from './project-runtime.js'
import {toProjectView} from './project-view.js'
import {Projects, type ProjectRecord} from './records.js'

export interface ProjectParts {
  readonly store: Store
  readonly clock: Clock
  readonly sealer: Sealer
  readonly recordEvent: RecordEvent
  /** What is done on the server of a project. */
  readonly runtime: ProjectRuntime
}

export function createProjectHandlers(parts: ProjectParts): Handlers<typeof projectRoutes> {
  const {store, clock, recordEvent, runtime} = parts
  return {
    ...createEnvHandlers(parts),
    ...createDeployKeyHandlers(parts),

    async list({query}, {principal}) {
      const where = (project: ProjectRecord) => allows(principal, projectRef(project), 'read')
      const {data, ...rest} = await listPage(store, {collection: Projects, index: 'organization', key: [principal.organizationId], where}, query)
      return {...rest, data: await Promise.all(data.map((project) => toProjectView(store, project)))}
    },

    async create({body}, {principal, actor}) {
      const project = await store.transaction((transaction) => createProject(transaction, body, {principal, actor, recordEvent, now: toInstant(clock.now())}))
      return {data: await toProjectView(store, project)}
    },

    async show({params}, {principal}) {
      return {data: await toProjectView(store, await getProject(store, params.id, principal, 'read'))}
    },

    async update({params, body}, request) {
      return {data: await toProjectView(store, await updateProject(parts, params.id, body, request))}
    },

    async options({params, body}, request) {
      return toProjectView(store, await updateProject(parts, params.id, body, request))
    },

    async linkRepository({params, body}, request) {
      await getProject(store, params.id, request.principal, 'write')
      const {owner = null, repo = null, url = null, branch, provider} = body
      if ((owner === null || repo === null) === (url === null)) throw invalidInput([{path: '/url', message: 'either owner and repo are needed, or url'}])
      const change = {sourceKind: 'git' as const, gitOwner: owner, gitRepo: repo, gitUrl: url, ...(branch !== undefined && branch !== '' && {gitBranch: branch}), ...(provider !== undefined && {gitProvider: provider})}
      const project = await updateProject(parts, params.id, change, request)
      return {success: true as const, owner, repo, branch: project.gitBranch, webhook_strategy: 'none' as const, auto_deploy: project.autoDeploy}
    },

    async branch({params, body}, request) {
      await updateProject(parts, params.id, {gitBranch: body.branch}, request)
      return {success: true as const, branch: body.branch}
    },

    async sleepMode({params, body}, {principal}) {
      await getProject(store, params.id, principal, 'write')
      return {success: true as const, ...body}
    },

    async info({params}, {principal}) {
      const project = await toProjectView(store, await getProject(store, params.id, principal, 'read'))
      const {id, environmentName: name, environmentSlug: slug, environmentType: type, activeDeploymentId} = project
      return {success: true as const, data: {project, environments: [{id, name, slug, type, isActive: activeDeploymentId !== null}]}}
    },

    async deletionPreview({params, query}, {principal, signal}) {
      const project = await getProject(store, params.id, principal, 'admin')
      return {data: await runtime.previewDeletion(project, {wipeVolumes: query.wipeVolumes ?? false}, signal)}
    },

    async delete({params, query, body}, {principal, actor, signal}) {
      const project = await getProject(store, params.id, principal, 'admin')
      return runtime.deleteProject(project, {...query, wipeVolumes: query.wipeVolumes ?? body?.wipeVolumes, actor}, signal)
    },

    async enable({params}, {principal, actor, signal}) {
      await runtime.startProject(await getProject(store, params.id, principal, 'write'), signal, actor)
      return {success: true as const, message: 'Project started'}
    },

    async disable({params}, {principal, actor, signal}) {
      await runtime.stopProject(await getProject(store, params.id, principal, 'write'), signal, actor)
      return {success: true as const, message: 'Project stopped'}
    },
  }
}

async function updateProject(parts: ProjectParts, id: string, change: Change, {principal, actor}: RequestContext): Promise<ProjectRecord> {
  return parts.store.transaction((transaction) => applyChange(parts, transaction, {id, change, principal, actor}))
}
