import {buildFolder} from '../../src/catalog/build-folder.js'
import type {AppDefinition, Service} from '../../src/catalog/definition.js'
import type {InlinedApp} from '../../src/catalog/inline-config.js'
import type {ServiceWish} from '../projects/service-input.js'
import type {PublicEndpoint} from './plan-routes.js'

/** A service of a definition as a service of a project. Files and build contexts are made from the definition when it is deployed. */
export function toServiceWish(service: Service, inlined: InlinedApp, endpoints: readonly PublicEndpoint[]): ServiceWish {
  const environment = inlined.services.find(({name}) => name === service.name)?.environment ?? {}
  return {
    name: service.name,
    image: service.image === undefined || service.image === '' ? null : service.image,
    build: service.build === undefined ? null : '.',
    dockerfile: service.build === undefined ? null : `${buildFolder(service.name)}/Dockerfile`,
    ports: service.ports ?? [],
    volumes: service.volumes ?? [],
    dependsOn: service.dependsOn ?? [],
    environment: Object.fromEntries(Object.entries(environment).map(([key, {text}]) => [key, text])),
    command: service.command ?? null,
    commandArgv: service.commandArgv ?? null,
    restart: service.restart ?? 'unless-stopped',
    advanced: advancedOf(service),
    exposed: endpoints.length > 0,
    exposedPort: service.exposedPort === undefined ? null : String(service.exposedPort),
    ...routingOf(endpoints),
  }
}

/** The whole routing of a service; none is written out, too, so that an older one does not come back. */
export function routingOf(endpoints: readonly PublicEndpoint[]): Pick<ServiceWish, 'publicEndpoints' | 'domain' | 'customDomain' | 'domainType'> {
  const [main] = endpoints
  return {publicEndpoints: [...endpoints], domain: main?.domain ?? null, customDomain: main?.customDomain ?? null, domainType: main?.domainType ?? 'free'}
}

function advancedOf({healthcheck, entrypointArgv, stopGracePeriod, resources}: Service): Record<string, unknown> {
  return {
    ...(healthcheck !== undefined && {healthcheck}),
    ...(entrypointArgv !== undefined && {entrypoint: entrypointArgv}),
    ...(stopGracePeriod !== undefined && {stopGracePeriod}),
    ...(resources !== undefined && {resources}),
  }
}

/** Names of the services in the order of the definition. */
export function serviceNames({services = []}: Pick<AppDefinition, 'services'>): string[] {
  return services.map(({name}) => name)
}
