import type {AppDefinition} from '../../src/catalog/definition.js'
import type {appProjectRoutes} from '../../src/contract/app-projects.js'
import type {Principal} from '../access/principal.js'
import type {Handlers} from '../http/handlers.js'
import type {AppProject} from '../projects/app-projects.js'
import {getProject} from '../projects/find-project.js'
import {createSettingHandlers} from './app-settings.js'
import {installApp, requireInstallable, type InstallParts} from './install-app.js'
import {planUpdate, updateApp} from './update-app.js'

type Bound = Pick<typeof appProjectRoutes, 'install' | 'updatePlan' | 'update' | 'settings' | 'changeSettings'>

/** What is done with installed apps. */
export function createAppProjectHandlers(parts: InstallParts): Handlers<Bound> {
  return {
    ...createInstallHandlers(parts),
    ...createUpdateHandlers(parts),
    ...createSettingHandlers(parts),
  }
}

function createInstallHandlers(parts: InstallParts): Handlers<Pick<Bound, 'install'>> {
  return {
    async install({body}, {principal, actor}) {
      return {data: await installApp(parts, body, {principal, actor})}
    },
  }
}

function createUpdateHandlers(parts: InstallParts): Handlers<Pick<Bound, 'updatePlan' | 'update'>> {
  const {store} = parts
  return {
    async updatePlan({params}, {principal}) {
      const project = await getProject(store, params.id, principal, 'read')
      return {data: await planUpdate(parts, store, project, await findVersion(parts, project, principal))}
    },

    async update({params}, {principal, actor}) {
      const {appTemplateId} = await getProject(store, params.id, principal, 'write')
      const definition = appTemplateId === null ? undefined : requireInstallable(await parts.findApp(appTemplateId, principal), appTemplateId)
      return store.transaction(async (transaction) => {
        const project = await getProject(transaction, params.id, principal, 'write')
        const changed = await updateApp(parts, transaction, {project, now: definition, actor})
        return {data: {changed, requiresRedeploy: changed && project.activeDeploymentId !== null}}
      })
    },
  }
}

/** The definition of now; undefined where there is none that could be taken over. */
async function findVersion({findApp}: InstallParts, {appTemplateId}: AppProject, principal: Principal): Promise<AppDefinition | undefined> {
  const item = appTemplateId === null ? undefined : await findApp(appTemplateId, principal)
  return item === undefined || item.requiresUpdate !== undefined ? undefined : item.definition
}
