import type {WatchedService} from './health-watch.js'
import type {OpenRelease} from './release-book.js'

/** The services of a release as they are watched; the given ones are made anew. */
export function toWatched({services, model}: Pick<OpenRelease, 'services' | 'model'>, changed: ReadonlySet<string>): WatchedService[] {
  return services.flatMap(({serviceId, name, changedIn}) => {
    const definition = model.services.find((released) => released.serviceId === serviceId)?.service
    if (definition === undefined) return []
    const isTask = model.services.some(({service}) => service.dependsOn.some((need) => need.service === name && need.condition === 'service_completed_successfully'))
    // Without a policy nothing starts it again, so that an end without an error is an end.
    const mayEnd = isTask || definition.restart === null || definition.restart === 'no' || definition.restart.startsWith('on-failure')
    return [{serviceId, name, changedIn, mayEnd, isNew: changed.has(serviceId)}]
  })
}
