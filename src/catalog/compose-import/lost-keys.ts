import {composeServiceKeys} from '../lint/compose-keys.js'
import type {ComposeService} from './compose-services.js'
import {isFields} from './compose-value.js'
import type {ImportNotes} from './import-notes.js'

/** Keys of a service that are read elsewhere, or whose loss changes nothing. */
const carried = new Set([
  'attach', 'build', 'command', 'configs', 'container_name', 'cpus', 'cpu_count', 'depends_on', 'deploy', 'develop', 'entrypoint', 'env_file', 'environment', 'expose', 'extends', 'healthcheck', 'hostname',
  'image', 'links', 'mem_limit', 'mem_reservation', 'networks', 'ports', 'profiles', 'restart', 'scale', 'secrets', 'stop_grace_period', 'tmpfs', 'volumes',
])

/** What else a service of Compose can say, beside what the linter has a word for. */
const others: Readonly<Record<string, string>> = {
  external_links: 'an app does not know containers of others; ask for an address with requires',
  label_file: 'labels are set by Moorage; leave it out',
  models: 'run the model as a service',
  post_start: 'write it as a step of prepare',
  pre_stop: 'nothing runs before a stop; give stopGracePeriod where it needs time',
  provider: 'only containers can be services',
  use_api_socket: 'an app gets no access to the engine of the host',
  volumes_from: 'give both services the same volume',
}

const limits = [
  'blkio_config', 'cgroup', 'cgroup_parent', 'cpu_shares', 'cpu_quota', 'cpu_period', 'cpu_percent', 'cpu_rt_period', 'cpu_rt_runtime', 'cpuset', 'credential_spec', 'device_cgroup_rules', 'dns_opt', 'dns_search',
  'domainname', 'isolation', 'mac_address', 'memswap_limit', 'mem_swappiness', 'oom_kill_disable', 'oom_score_adj', 'pids_limit', 'runtime', 'storage_opt', 'userns_mode', 'uts', 'volume_driver',
]

/** Tells what of a service has no place in a definition. Keys that start with x- are for other programs. */
export function noteLostKeys({name, fields}: ComposeService, notes: ImportNotes): void {
  for (const [key, value] of Object.entries(fields)) {
    if (carried.has(key) || key.startsWith('x-') || value === null || value === false) continue
    const advice = [composeServiceKeys, others].find((table) => Object.hasOwn(table, key))?.[key] ?? (limits.includes(key) ? 'it can not be set; leave it out' : undefined)
    const why = advice === undefined ? 'Compose has no such key' : 'a definition has no such key'
    notes.add({level: 'lost', service: name, key, why, todo: advice ?? 'correct it, or leave it out'})
  }
}

const topKeys = new Set(['services', 'version', 'name', 'volumes', 'networks', 'configs', 'secrets'])

/** Tells what stands outside of services and has no place in a definition. */
export function noteLostTopKeys(compose: Readonly<Record<string, unknown>>, notes: ImportNotes): void {
  for (const key of Object.keys(compose)) {
    if (topKeys.has(key) || key.startsWith('x-')) continue
    const [why, todo] = key === 'include' ? ['other Compose files are not followed', 'merge them first: docker compose config'] : ['a definition has no such key', 'leave it out']
    notes.add({level: 'lost', service: null, key, why: why ?? '', todo: todo ?? ''})
  }
  for (const kind of ['volumes', 'networks'] as const) {
    for (const [name, value] of Object.entries(isFields(compose[kind]) ? compose[kind] : {})) noteSpecial(`${kind}.${name}`, value, notes)
  }
}

const plain = new Set(['name', 'labels'])

function noteSpecial(key: string, value: unknown, notes: ImportNotes): void {
  const special = isFields(value) ? Object.keys(value).filter((inner) => !plain.has(inner) && value[inner] !== null && value[inner] !== false && !inner.startsWith('x-')) : []
  if (special.length === 0) return
  const todo = key.startsWith('volumes.') ? 'copy the data in after the install, where there is any' : 'leave it out'
  notes.add({level: 'lost', service: null, key, why: `each project has its own, with the defaults of the engine (${special.join(', ')})`, todo})
}
