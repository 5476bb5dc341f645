import type {Sealer} from '../../store/secrets.js'
import type {StoreReader} from '../../store/store.js'
import {servicesOf} from '../service-handlers.js'
import {openInline} from '../service-view.js'

/** Names of the services of a project whose own environment has a key, so that a variable of the project does not reach them; an empty value hides nothing. */
export async function shadowedBy({store, sealer}: {readonly store: Pick<StoreReader, 'find'>; readonly sealer: Sealer}, projectId: string, key: string): Promise<string[]> {
  const services = await servicesOf(store, projectId)
  return services.filter((service) => (openInline(sealer, service)[key] ?? '') !== '').map(({name}) => name)
}
