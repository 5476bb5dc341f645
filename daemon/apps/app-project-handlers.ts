import type {appProjectRoutes} from '../../src/contract/app-projects.js'
import type {Handlers} from '../http/handlers.js'
import {createSettingHandlers} from './app-settings.js'
import {installApp, type InstallParts} from './install-app.js'

type Bound = Pick<typeof appProjectRoutes, 'install' | 'settings' | 'changeSettings'>

/** What is done with installed apps. */
export function createAppProjectHandlers(parts: InstallParts): Handlers<Bound> {
  return {
    ...createInstallHandlers(parts),
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
