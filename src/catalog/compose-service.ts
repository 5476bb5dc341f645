import {composeNames, contextFolder, mountPaths} from './compose-paths.js'
import {toComposeText} from './compose-variables.js'
import type {YamlMap, YamlData} from '../compose/yaml-out.js'
import {formatDuration} from './durations.js'
import type {RenderedHealthcheck} from './map-healthcheck.js'
import type {RenderedApp} from './render-app.js'
import type {RenderedPort, RenderedService} from './render-service.js'

interface Context {
  readonly app: RenderedApp
  readonly names: ReadonlyMap<string, string>
  readonly paths: ReturnType<typeof mountPaths>
  readonly text: (text: string) => string
}

/** The services of a Compose file. */
export function composeServices(app: RenderedApp, variables: ReadonlySet<string>, routed: ReadonlyMap<string, readonly RenderedPort[]>): YamlMap {
  const context = {app, names: composeNames(app.services), paths: mountPaths(app.files), text: (text: string) => toComposeText(text, variables)}
  return Object.fromEntries(app.services.map((service) => [context.names.get(service.name) ?? service.name, toService(service, routed.get(service.name) ?? [], context)]))
}

function toService(service: RenderedService, routed: readonly RenderedPort[], context: Context): YamlMap {
  const {text, names} = context
  const texts = (list: readonly string[]): YamlData => list.map(text)
  const name = names.get(service.name) ?? service.name
  const dependsOn = composeDependencies(service, context)
  const environment = Object.fromEntries(service.environment.map((variable) => [variable.name, text(variable.value)]))
  const ports = [...service.ports, ...routed].map(portText)
  const volumes = composeVolumes(service, context)
  return {
    ...(service.image !== null && {image: text(service.image)}),
    ...(service.build !== null && {build: composeBuild(service, context)}),
    ...(service.entrypoint !== null && {entrypoint: texts(service.entrypoint)}),
    ...(service.command !== null && {command: texts(service.command)}),
    restart: service.restart,
    ...(Object.keys(dependsOn).length > 0 && {depends_on: dependsOn}),
    ...(service.environment.length > 0 && {environment}),
    ...(ports.length > 0 && {ports}),
    ...(volumes.length > 0 && {volumes}),
    ...(service.healthcheck !== null && {healthcheck: composeHealthcheck(service.healthcheck, texts)}),
    ...(service.stopGraceSeconds !== null && {stop_grace_period: `${service.stopGraceSeconds}s`}),
    ...(name !== service.name && {networks: {default: {aliases: [text(service.name)]}}}),
  }
}

function composeBuild({build, environment}: RenderedService, {text}: Context): YamlMap {
  const taken = environment.filter(({name}) => build?.arguments.includes(name))
  return {
    context: `./${contextFolder}`,
    dockerfile: text(build?.dockerfile ?? ''),
    ...(taken.length > 0 && {args: Object.fromEntries(taken.map(({name, value}) => [name, text(value)]))}),
  }
}

// Compose can wait for a check only where there is one.
function composeDependencies({dependsOn}: RenderedService, {app, names}: Context): YamlMap {
  const checked = new Set(app.services.filter(({healthcheck}) => healthcheck?.disabled === false && healthcheck.test !== null).map(({name}) => name))
  return Object.fromEntries(dependsOn.map((other) => [names.get(other) ?? other, {condition: checked.has(other) ? 'service_healthy' : 'service_started'}]))
}

export function portText({hostAddress, hostPort, containerPort, protocol}: RenderedPort): string {
  return `${hostAddress}:${hostPort ?? ''}:${containerPort}${protocol === 'udp' ? '/udp' : ''}`
}

function composeVolumes({name, volumes}: RenderedService, {app, paths, text}: Context): YamlData[] {
  const mounts = volumes.map(({source, target, mode}) => text([source, target, mode].filter((part) => part !== null).join(':')))
  const files = app.files
    .filter(({service}) => service === name)
    .map((file) => ({type: 'bind', source: text(`./${paths.get(file) ?? ''}`), target: text(file.path), read_only: true}))
  return [...mounts, ...files]
}

function composeHealthcheck(check: RenderedHealthcheck, texts: (list: readonly string[]) => YamlData): YamlMap {
  if (check.disabled) return {disable: true}
  const {test, intervalNs, timeoutNs, startPeriodNs, retries} = check
  return {
    ...(test !== null && {test: texts(test)}),
    ...(intervalNs !== null && {interval: formatDuration(intervalNs)}),
    ...(timeoutNs !== null && {timeout: formatDuration(timeoutNs)}),
    ...(startPeriodNs !== null && {start_period: formatDuration(startPeriodNs)}),
    ...(retries !== null && {retries}),
  }
}
