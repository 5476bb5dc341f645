import type {RegistryLogin} from '../servers/engine/engine.js'
import type {Sealer} from '../store/secrets.js'
import type {StoreReader} from '../store/store.js'
import {passwordContext, Registries} from './records.js'

/** The logins that an organization keeps, in plain text. */
export async function findRegistryLogins(reader: StoreReader, sealer: Sealer, organizationId: string): Promise<RegistryLogin[]> {
  const registries = await reader.find(Registries, 'organization', [organizationId])
  return registries.map(({id, host, username, password}) => ({server: host, username, password: sealer.open(password, passwordContext(id))}))
}
