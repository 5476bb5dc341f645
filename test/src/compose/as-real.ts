import type {ComposeMount, ComposeProject, ComposeService} from '../../../src/compose/compose-model.js'
import {splitWords} from '../../../src/compose/shell-words.js'
import type {RealConfig} from './real-compose.js'

// Our model and the output of `docker-compose config` in one form, so that they can be compared.

type Plain = Record<string, unknown>

export function ourShape({services, volumes, networks}: ComposeProject): Plain {
  return drop({
    services: Object.fromEntries(services.map((service) => [service.name, ourService(service)])),
    volumes: Object.fromEntries(volumes.map(({key, name, external, others}) => [key, drop({name: external ? (name ?? key) : name, external: external || null, ...others})])),
    networks: Object.fromEntries(networks.map(({key, name, external, others}) => [key, drop({name: external ? (name ?? key) : name, external: external || null, ...others})])),
  })
}

function ourService(service: ComposeService): Plain {
  const {healthcheck, build} = service
  const names = Object.entries(service.networks)
  const isDefault = names.length === 1 && names[0]?.[0] === 'default' && names[0][1].aliases.length === 0
  return drop({
    image: service.image,
    build: build === null ? null : drop({context: build.context === '.' ? '.' : `./${build.context}`, dockerfile: build.dockerfile === 'Dockerfile' ? null : build.dockerfile, args: build.args, target: build.target}),
    environment: service.environment,
    ports: service.ports.map(({hostAddress, hostPort, containerPort, protocol}) => `${hostAddress ?? ''}|${hostPort ?? ''}|${containerPort}|${protocol}`).sort(),
    volumes: service.mounts.filter(({type}) => type !== 'tmpfs').map(ourMount).sort(),
    tmpfs: service.mounts.filter(({type}) => type === 'tmpfs').map(({target, options = []}) => [target, ...options].join('|')),
    depends_on: Object.fromEntries(service.dependsOn.map((other) => [other.service, other.condition])),
    healthcheck:
      healthcheck === null ? null : healthcheck.disable ? {test: ['NONE']} : drop({test: healthcheck.test, interval: healthcheck.interval, timeout: healthcheck.timeout, start_period: healthcheck.startPeriod, retries: healthcheck.retries}),
    command: service.command,
    entrypoint: service.entrypoint,
    restart: service.restart === 'no' ? null : service.restart,
    stop_grace_period: service.stopGracePeriod,
    labels: service.labels,
    networks: isDefault ? null : Object.fromEntries(names.map(([name, {aliases, others}]) => [name, drop({aliases, ...others})])),
    ...ourOthers(service.others),
  })
}

function ourMount({source, target, readOnly, options = []}: ComposeMount): string {
  return [source === './' ? '.' : (source ?? ''), target, readOnly ? 'ro' : 'rw', ...options].join('|')
}

const sizes = new Set(['mem_limit', 'mem_reservation', 'memswap_limit', 'shm_size'])

function ourOthers(others: Plain): Plain {
  return Object.fromEntries(Object.entries(others).map(([key, value]) => [key, sizes.has(key) ? toByteCount(value) : key === 'extra_hosts' ? hostMap(value) : sorted(key, value)]))
}

export function realShape(config: RealConfig, profiles: readonly string[]): Plain {
  // It prints services of all profiles.
  const isOn = ({profiles: wanted}: {profiles?: unknown}) => !Array.isArray(wanted) || wanted.length === 0 || wanted.some((profile) => profiles.includes(String(profile)))
  return drop({
    services: Object.fromEntries(Object.entries(config['services'] ?? {}).filter(([, service]) => isOn(service)).map(([name, service]) => [name, realService(service)])),
    volumes: Object.fromEntries(Object.entries(config['volumes'] ?? {}).map(([name, volume]) => [name, drop({...volume})])),
    networks: Object.fromEntries(Object.entries(config['networks'] ?? {}).map(([name, network]) => [name, drop({...network})])),
  })
}

function realService(service: Plain): Plain {
  const {environment, ports, volumes, tmpfs, depends_on: depends, healthcheck, labels, command, entrypoint, restart, build, networks, profiles: _profiles, scale: _scale, secrets: _secrets, configs: _configs, ...others} = service
  const check = healthcheck as Plain | undefined
  return drop({
    ...Object.fromEntries(Object.entries(others).filter(([key]) => !key.startsWith('x-')).map(([key, value]) => [key, sizes.has(key) ? toByteCount(value) : key === 'extra_hosts' ? hostMap(value) : sorted(key, value)])),
    build: build === undefined ? null : drop({...(build as Plain)}),
    environment: texts(environment),
    labels: Object.fromEntries(Object.entries((labels ?? {}) as Plain).map(([key, value]) => [key.replaceAll('$$', '$'), String(value ?? '')])),
    ports: ((ports ?? []) as unknown[]).map(realPort).sort(),
    volumes: ((volumes ?? []) as unknown[]).flatMap(realMount).sort(),
    tmpfs: [...((volumes ?? []) as unknown[]).flatMap(realTmpfs), ...(typeof tmpfs === 'string' ? [tmpfs] : ((tmpfs ?? []) as string[])).map((text) => text.replace(':', '|').replaceAll(',', '|'))],
    depends_on: Object.fromEntries(Object.entries((depends ?? {}) as Record<string, {condition: string}>).map(([name, {condition}]) => [name, condition])),
    healthcheck: check === undefined ? null : drop({...check, test: typeof check['test'] === 'string' ? ['CMD-SHELL', check['test']] : check['test']}),
    command: words(command),
    entrypoint: words(entrypoint),
    restart: restart === '' || restart === 'no' ? null : restart,
    networks: networks === undefined ? null : Object.fromEntries(Object.entries(networks as Record<string, Plain | null>).map(([name, keys]) => [name, drop({...keys})])),
  })
}

// 1.29 leaves numbers what they are; the engine gets their text.
function texts(record: unknown): Plain {
  return Object.fromEntries(Object.entries(drop({...(record as Plain | undefined)})).map(([key, value]) => [key, String(value)]))
}

function words(value: unknown): unknown {
  return typeof value === 'string' ? splitWords(value) : (value ?? null)
}

function realPort(port: unknown): string {
  if (typeof port === 'string') {
    const [, address = '', host = '', container = '', protocol = 'tcp'] = /^(?:(.*):)?(\d*):(\d+)(?:\/(\w+))?$/.exec(port) ?? []
    return `${address.replace(/^\[(.*)\]$/, '$1')}|${host}|${container}|${protocol}`
  }
  const {published = '', target, protocol = 'tcp'} = port as Record<string, string | number>
  return `|${published}|${target}|${protocol}`
}

function realMount(mount: unknown): string[] {
  if (typeof mount === 'string') {
    const [first = '', target, mode] = mount.split(':')
    if (target === undefined) return [`|${first}|rw`]
    const flags = (mode ?? 'rw').split(',')
    return [[first, target, flags.includes('ro') ? 'ro' : 'rw', ...flags.filter((flag) => !['ro', 'rw', 'rprivate', 'cached', 'delegated'].includes(flag))].join('|')]
  }
  const {type, source = '', target, read_only: readOnly, volume, bind} = mount as {type: string; source?: string; target: string; read_only?: boolean; volume?: {nocopy?: boolean}; bind?: {propagation?: string}}
  if (type === 'tmpfs') return []
  return [[source, target, readOnly === true ? 'ro' : 'rw', ...(volume?.nocopy === true ? ['nocopy'] : []), ...(bind?.propagation === undefined ? [] : [bind.propagation])].join('|')]
}

function realTmpfs(mount: unknown): string[] {
  const {type, target, tmpfs} = mount as {type?: string; target: string; tmpfs?: {size?: number}}
  return type === 'tmpfs' ? [[target, ...(tmpfs?.size === undefined ? [] : [`size=${tmpfs.size}`])].join('|')] : []
}

function toByteCount(value: unknown): number {
  const [, amount = '', unit = ''] = /^([\d.-]+)\s*([a-zA-Z]?)/.exec(String(value)) ?? []
  return Math.trunc(Number(amount) * 1024 ** ['', 'k', 'm', 'g', 't'].indexOf(unit.toLowerCase().replace('b', '')))
}

function hostMap(value: unknown): unknown {
  const lines = Array.isArray(value) ? value.map(String) : Object.entries(value as object).map(([host, address]) => `${host}:${address}`)
  return lines.sort()
}

// These are sets: 1.29 sorts them when it merges.
function sorted(key: string, value: unknown): unknown {
  return Array.isArray(value) && /^(?:cap_|dns|expose|links|security_opt|devices|group_add|external_links|volumes_from|device_cgroup)/.test(key) ? value.map((item) => String(item).replace(/^service:/, '')).sort() : value
}

function drop(record: Plain): Plain {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null && value !== undefined && !(typeof value === 'object' && Object.keys(value).length === 0)))
}
