import type {Service} from '../contract/services.js'
import type {ComposeHealthcheck, ComposeMount, ComposeService} from './compose-model.js'
import {formatMount, formatTmpfs} from './mount-text.js'
import {formatPort} from './port-text.js'
import {toBytes} from './quantities.js'
import type {ServiceAdvanced} from './service-advanced.js'
import {relativeTo} from './source-path.js'

/** The part of a service row that a Compose file speaks of. */
export type ServiceFields = Pick<Service, 'name' | 'image' | 'build' | 'dockerfile' | 'ports' | 'volumes' | 'dependsOn' | 'environment' | 'command' | 'commandArgv' | 'restart' | 'advanced'>

export interface FieldsOptions {
  /** Folder of the Compose file within the source: paths of rows start there. */
  readonly folder: string
}

/** A Compose service as a row: short forms where they say it all, everything else in `advanced`. */
export function toServiceFields(service: ComposeService, {folder}: FieldsOptions): ServiceFields {
  const {build} = service
  return {
    name: service.name,
    image: service.image,
    build: build === null ? null : relativeTo(folder, build.context),
    dockerfile: build === null || build.dockerfile === 'Dockerfile' ? null : build.dockerfile,
    ports: service.ports.map(formatPort),
    volumes: service.mounts.filter(isShort).map((mount) => formatMount({...mount, source: toRowPath(mount.source, folder)})),
    dependsOn: service.dependsOn.map(({service: name}) => name),
    environment: {...service.environment},
    command: null,
    commandArgv: service.command === null ? null : [...service.command],
    restart: service.restart ?? 'no',
    advanced: {...toAdvanced(service, folder)},
  }
}

function isShort({type, source, target}: ComposeMount): boolean {
  return type !== 'tmpfs' && !target.includes(':') && source?.includes(':') !== true
}

function toRowPath(source: string | null, folder: string): string | null {
  if (source?.startsWith('./') !== true) return source
  const path = relativeTo(folder, source.slice(2))
  return path.startsWith('..') ? path : path === '.' ? './' : `./${path}`
}

function toAdvanced(service: ComposeService, folder: string): ServiceAdvanced {
  const {build, healthcheck, entrypoint, files = [], stopGracePeriod, labels} = service
  const {network_mode: networkMode, pid: pidMode, cpus, mem_limit: memory, ...others} = service.others
  const conditions = service.dependsOn.filter(({condition}) => condition !== 'service_started').map(({service: name, condition}) => [name, condition] as const)
  const tmpfs = service.mounts.filter(({type}) => type === 'tmpfs')
  const long = service.mounts.filter((mount) => mount.type !== 'tmpfs' && !isShort(mount))
  const compose = {...others, ...(memory !== undefined && toMegabytes(memory) === undefined && {mem_limit: memory})}
  const resources = {...(typeof cpus === 'number' && {cpuCores: cpus}), ...(toMegabytes(memory) !== undefined && {memoryMb: toMegabytes(memory)})}
  return {
    ...(healthcheck !== null && {healthcheck: toRowHealthcheck(healthcheck)}),
    ...(entrypoint !== null && {entrypoint: [...entrypoint]}),
    ...toRowNetworks(service),
    ...(typeof networkMode === 'string' && {networkMode}),
    ...(typeof pidMode === 'string' && {pidMode}),
    ...(Object.keys(resources).length > 0 && {resources}),
    ...(conditions.length > 0 && {dependsOn: Object.fromEntries(conditions)}),
    ...(Object.keys(labels).length > 0 && {labels: {...labels}}),
    ...(stopGracePeriod !== null && {stopGracePeriod}),
    ...(build !== null && Object.keys(build.args).length > 0 && {buildArgs: {...build.args}}),
    ...(build !== null && build.target !== null && {buildTarget: build.target}),
    ...(build !== null && build.dockerfileInline !== null && {dockerfileInline: build.dockerfileInline}),
    ...(tmpfs.length > 0 && {tmpfs: tmpfs.map(formatTmpfs)}),
    ...(long.length > 0 && {mounts: long.map((mount) => toRowMount(mount, folder))}),
    ...(files.length > 0 && {files: files.map((file) => ({...file}))}),
    ...(Object.keys(compose).length > 0 && {compose}),
  }
}

function toMegabytes(size: unknown): number | undefined {
  const bytes = typeof size === 'string' ? toBytes(size) : undefined
  // The division is exact: it only moves the point of a binary number.
  return bytes === undefined || bytes === 0 ? undefined : bytes / 1024 ** 2
}

function toRowHealthcheck({test, interval, timeout, startPeriod, retries, disable}: ComposeHealthcheck): NonNullable<ServiceAdvanced['healthcheck']> {
  if (disable) return {disable: true}
  return {
    ...(test !== null && {test: [...test]}),
    ...(interval !== null && {interval}),
    ...(timeout !== null && {timeout}),
    ...(startPeriod !== null && {startPeriod}),
    ...(retries !== null && {retries}),
  }
}

function toRowNetworks({networks}: ComposeService): Pick<ServiceAdvanced, 'alias' | 'networks'> {
  const entries = Object.entries(networks)
  const [name, attachment] = entries[0] ?? []
  if (entries.length === 0) return {}
  if (entries.length === 1 && name === 'default' && attachment?.others === undefined) {
    if (attachment?.aliases.length === 0) return {}
    if (attachment?.aliases.length === 1) return {alias: attachment.aliases[0] ?? ''}
  }
  return {networks: Object.fromEntries(entries.map(([key, {aliases, others: rest}]) => [key, {aliases: [...aliases], ...(rest !== undefined && {others: {...rest}})}]))}
}

function toRowMount({type, source, target, readOnly, options}: ComposeMount, folder: string): NonNullable<ServiceAdvanced['mounts']>[number] {
  return {type: type === 'bind' ? 'bind' : 'volume', source: toRowPath(source, folder), target, readOnly, ...(options !== undefined && {options: [...options]})}
}
