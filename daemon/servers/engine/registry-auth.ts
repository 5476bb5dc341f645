import type {RegistryLogin} from './engine.js'
import {defaultRegistry} from './image-ref.js'

// Logins of registries, as the API of the engine wants them.

/** URL-safe base64 of JSON, for the header of a pull. */
export function toAuthHeader({server, username, password}: RegistryLogin): string {
  return toUrlBase64({username, password, serveraddress: toKey(server)})
}

/** Logins for the images that a build starts from. */
export function toAuthsHeader(logins: readonly RegistryLogin[]): string {
  return toUrlBase64(Object.fromEntries(logins.map(({server, username, password}) => [toKey(server), {username, password}])))
}

// The engine and its client look for the login of Docker Hub under its first address.
/** Where the login of a registry is looked for. */
export function toKey(server: string): string {
  return server === defaultRegistry ? 'https://index.docker.io/v1/' : server
}

function toUrlBase64(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64').replaceAll('+', '-').replaceAll('/', '_')
}
