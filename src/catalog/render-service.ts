import {splitWords} from '../compose/shell-words.js'
import type {RenderedBuild} from './build-context.js'
import type {Service} from './definition.js'
import {stopGraceSeconds} from './durations.js'
import {parsePort, type PortMapping} from './endpoints.js'
import type {EnvironmentRow, InlinedService} from './inline-config.js'
import {layerEnvironment} from './layer-environment.js'
import {mapHealthcheck, type RenderedHealthcheck} from './map-healthcheck.js'
import type {PublicUrls} from './public-urls.js'
import {resolveUrlEnvironment} from './resolve-public-urls.js'
import {environmentUrlWarnings} from './url-warnings.js'
import {parseVolume, type RenderedVolume} from './volumes.js'

/** What does not stop an app and should be known. */
export interface RenderWarning {
  readonly rule: 'url-unresolved' | 'url-loopback' | 'config-unknown' | 'value-kept' | 'port-form' | 'volume-form' | 'command-form' | 'duration-form' | 'connection-needed' | 'not-installable'
  readonly service: string | null
  readonly message: string
}

export interface RenderedVariable {
  readonly name: string
  readonly value: string
  /** It is a secret, or a secret is part of it. */
  readonly isSecret: boolean
}

/** A port as it is published; one that names no interface is open to the host itself only. */
export interface RenderedPort extends PortMapping {
  readonly hostAddress: string
}

export interface RenderedService {
  readonly name: string
  readonly image: string | null
  readonly build: RenderedBuild | null
  /** Null: as the image has it; empty: none. */
  readonly entrypoint: readonly string[] | null
  readonly command: readonly string[] | null
  readonly environment: readonly RenderedVariable[]
  readonly ports: readonly RenderedPort[]
  readonly volumes: readonly RenderedVolume[]
  readonly healthcheck: RenderedHealthcheck | null
  readonly restart: NonNullable<Service['restart']>
  /** Null: as the engine has it. */
  readonly stopGraceSeconds: number | null
  /** What starts before it. */
  readonly dependsOn: readonly string[]
}

export interface ServiceParts {
  readonly service: Service
  readonly inlined: InlinedService
  readonly rows: readonly EnvironmentRow[]
  readonly build: RenderedBuild | null
  readonly dependsOn: readonly string[]
  readonly slug: string
  readonly urls: PublicUrls
}

export interface RenderedPart {
  readonly rendered: RenderedService
  /** As stored, before public addresses are put in. */
  readonly stored: Readonly<Record<string, string>>
  readonly warnings: readonly RenderWarning[]
}

export function renderService(parts: ServiceParts): RenderedPart {
  const {service, build, dependsOn, slug} = parts
  const {name, healthcheck, stopGracePeriod} = service
  const {environment, stored, warnings} = renderEnvironment(parts)
  const ports = readEach(service.ports, (text) => parsePort(text))
  const volumes = readEach(service.volumes, (text) => parseVolume(text, slug))
  const words = service.command === undefined ? undefined : splitWords(service.command)
  const grace = stopGracePeriod === undefined ? undefined : stopGraceSeconds(stopGracePeriod)
  const warn = (rule: RenderWarning['rule'], message: string): RenderWarning => ({rule, service: name, message: `${name}: ${message}`})
  return {
    rendered: {
      name,
      image: service.image === undefined || service.image === '' ? null : service.image,
      build,
      entrypoint: service.entrypointArgv ?? null,
      command: service.commandArgv ?? words ?? null,
      environment,
      ports: ports.read.map((port) => ({...port, hostAddress: port.hostAddress ?? '127.0.0.1'})),
      volumes: volumes.read,
      healthcheck: healthcheck === undefined ? null : mapHealthcheck(healthcheck),
      restart: service.restart ?? 'unless-stopped',
      stopGraceSeconds: grace ?? null,
      dependsOn,
    },
    stored,
    warnings: [
      ...warnings,
      ...ports.unread.map((text) => warn('port-form', `the port ${JSON.stringify(text)} can not be read and is left out`)),
      ...volumes.unread.map((text) => warn('volume-form', `the volume ${JSON.stringify(text)} can not be read and is left out`)),
      ...(service.command !== undefined && words === undefined ? [warn('command-form', 'the command has a quote that is not closed and is left out')] : []),
      ...(stopGracePeriod !== undefined && grace === undefined ? [warn('duration-form', `the stopGracePeriod ${JSON.stringify(stopGracePeriod)} can not be read and is left out`)] : []),
    ],
  }
}

function renderEnvironment({service: {name}, inlined, rows, urls}: ServiceParts): {environment: RenderedVariable[]; stored: RenderedPart['stored']; warnings: RenderWarning[]} {
  const own = rows.filter(({service}) => service === name)
  const inline = Object.fromEntries(Object.entries(inlined.environment).map(([key, {text}]) => [key, text]))
  const stored = layerEnvironment({inline, rows: Object.fromEntries(own.map(({key, value}) => [key, value]))}).environment
  const resolved = resolveUrlEnvironment(stored, urls)
  const secrets = new Set([
    ...own.filter(({isSecret}) => isSecret).map(({key}) => key),
    ...Object.entries(inlined.environment).filter(([, {isSecret}]) => isSecret).map(([key]) => key),
  ])
  return {
    environment: Object.entries(resolved.environment).map(([key, value]) => ({name: key, value, isSecret: secrets.has(key)})),
    stored,
    warnings: environmentUrlWarnings(name, resolved),
  }
}

function readEach<T>(texts: readonly string[] | undefined, read: (text: string) => T | undefined): {read: T[]; unread: string[]} {
  const all = (texts ?? []).map((text) => ({text, value: read(text)}))
  return {
    read: all.map(({value}) => value).filter((value) => value !== undefined),
    unread: all.filter(({value}) => value === undefined).map(({text}) => text),
  }
}
