import {applySettings, settingValues} from '../../src/catalog/apply-settings.js'
import {managementOf} from '../../src/catalog/endpoints.js'
import type {appProjectRoutes} from '../../src/contract/app-projects.js'
import {Fault} from '../../src/contract/faults.js'
import {toInstant} from '../clock.js'
import type {Handlers} from '../http/handlers.js'
import {definitionOf} from '../projects/app-definition.js'
import {readStoredValues, servicesOfProject, writeAppEnv} from '../projects/app-projects.js'
import {getProject} from '../projects/find-project.js'
import type {InstallParts} from './install-app.js'

export function createSettingHandlers({store, clock, sealer, recordEvent}: Omit<InstallParts, 'findApp'>): Handlers<Pick<typeof appProjectRoutes, 'settings' | 'changeSettings'>> {
  return {
    async settings({params}, {principal}) {
      const project = await getProject(store, params.id, principal, 'read')
      const definition = definitionOf(project)
      if (definition === undefined) return {data: {appTemplateId: null, management: null, groups: [], values: []}}
      const stored = await readStoredValues(store, sealer, project)
      const rows = stored.flatMap(({service, key, value}) => (service === null ? [] : [{service, key, value}]))
      return {data: {appTemplateId: project.appTemplateId, management: managementOf(definition), groups: definition.settings ?? [], values: [...settingValues(definition, rows)]}}
    },

    async changeSettings({params, body}, {principal, actor}) {
      return store.transaction(async (transaction) => {
        const project = await getProject(transaction, params.id, principal, 'write')
        const definition = definitionOf(project)
        if (definition === undefined) throw new Fault('VALIDATION_ERROR', 'this project was not made from an app: it has no settings', {errors: [{path: '', message: 'has no settings'}]})
        const services = (await servicesOfProject(transaction, project.id)).map(({name}) => name)
        const plan = applySettings(definition, {changes: body.changes ?? [], services})
        if (plan.isRefused) {
          const errors = plan.problems.map(({index, message}) => ({path: `/changes/${index}/value`, message}))
          throw new Fault('VALIDATION_ERROR', plan.problems[0]?.message ?? 'the changes are not valid', {errors})
        }
        await writeAppEnv(transaction, sealer, {project, rows: plan.rows, removed: plan.removed, now: toInstant(clock.now())})
        await recordEvent(transaction, {
          type: 'project.env_changed', organizationId: project.organizationId, resourceType: 'project', resourceId: project.id, actor,
          payload: {after: {settings: [...plan.rows, ...plan.removed].map(({service, key}) => `${service}.${key}`)}},
        })
        return {data: {count: plan.count, requiresRedeploy: plan.requiresRedeploy}}
      })
    },
  }
}
