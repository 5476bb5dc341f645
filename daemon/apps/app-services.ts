import {buildFolder} from '../../src/catalog/build-folder.js'
import type {AppDefinition, Healthcheck, Service} from '../../src/catalog/definition.js'
import {formatDuration, stopGraceSeconds} from '../../src/catalog/durations.js'
import {declaredRoutes} from '../../src/catalog/endpoints.js'
import type {InlinedApp} from '../../src/catalog/inline-config.js'
import {mapHealthcheck} from '../../src/catalog/map-healthcheck.js'
import {startOrder} from '../../src/catalog/start-order.js'
import type {ServiceAdvanced} from '../../src/compose/service-advanced.js'
import type {ServiceFields} from '../../src/compose/to-service-fields.js'
import type {ServiceChange} from '../projects/service-input.js'
import type {PublicEndpoint} from './plan-routes.js'

/** The services of a definition as services of a project, in its order. Files and build contexts are made from the definition when it is deployed. */
export function toAppServices(definition: Pick<AppDefinition, 'services'>, inlined: Pick<InlinedApp, 'services'>): ServiceFields[] {
  const {services = []} = definition
  const waits = new Map(startOrder(services).map(({name, after}) => [name, after]))
  const checked = new Set(services.filter(isChecked).map(({name}) => name))
  return services.map((service) => {
    const environment = inlined.services.find(({name}) => name === service.name)?.environment ?? {}
    const dependsOn = [...(waits.get(service.name) ?? [])]
    const conditions = Object.fromEntries(dependsOn.filter((other) => checked.has(other)).map((other) => [other, 'service_healthy' as const]))
    return {
      name: service.name,
      image: service.image === undefined || service.image === '' ? null : service.image,
      build: service.build === undefined ? null : '.',
      dockerfile: service.build === undefined ? null : `${buildFolder(service.name)}/Dockerfile`,
      ports: service.ports ?? [],
      volumes: service.volumes ?? [],
      dependsOn,
      environment: Object.fromEntries(Object.entries(environment).map(([key, {text}]) => [key, text])),
      command: service.command ?? null,
      commandArgv: service.commandArgv ?? null,
      restart: service.restart ?? 'unless-stopped',
      advanced: {...advancedOf(service), ...(Object.keys(conditions).length > 0 && {dependsOn: conditions})},
    }
  })
}

/** The port that a service is reached at unless another is named. */
export function mainPortOf(service: Pick<Service, 'exposedPort' | 'routes'>): string | null {
  const port = service.exposedPort ?? declaredRoutes(service)[0]?.port
  return port === undefined ? null : String(port)
}

/** The whole routing of a service; none is written out, too, so that an older one does not come back. */
export function routingOf(endpoints: readonly PublicEndpoint[]): Pick<ServiceChange, 'publicEndpoints' | 'domain' | 'customDomain' | 'domainType' | 'exposed'> {
  const [main] = endpoints
  return {publicEndpoints: [...endpoints], domain: main?.domain ?? null, customDomain: main?.customDomain ?? null, domainType: main?.domainType ?? 'free', exposed: endpoints.length > 0}
}

// Compose can wait for a check only where there is one.
function isChecked({healthcheck}: Service): boolean {
  const check = healthcheck === undefined ? undefined : mapHealthcheck(healthcheck)
  return check?.disabled === false && check.test !== null
}

// What a definition says of resources is advice and never a limit.
function advancedOf({healthcheck, entrypointArgv, stopGracePeriod}: Service): ServiceAdvanced {
  const graceSeconds = stopGracePeriod === undefined ? undefined : stopGraceSeconds(stopGracePeriod)
  return {
    ...(healthcheck !== undefined && {healthcheck: checkOf(healthcheck)}),
    ...(entrypointArgv !== undefined && {entrypoint: entrypointArgv}),
    ...(graceSeconds !== undefined && {stopGracePeriod: `${graceSeconds}s`}),
  }
}

function checkOf(healthcheck: Healthcheck): NonNullable<ServiceAdvanced['healthcheck']> {
  const check = mapHealthcheck(healthcheck)
  if (check.disabled) return {disable: true}
  const {test, intervalNs, timeoutNs, startPeriodNs, retries} = check
  return {
    ...(test !== null && {test: [...test]}),
    ...(intervalNs !== null && {interval: formatDuration(intervalNs)}),
    ...(timeoutNs !== null && {timeout: formatDuration(timeoutNs)}),
    ...(startPeriodNs !== null && {startPeriod: formatDuration(startPeriodNs)}),
    ...(retries !== null && {retries}),
  }
}
