import type {ComposeService} from './compose-services.js'
import {isFields} from './compose-value.js'
import type {ImportNotes} from './import-notes.js'

/** Keys of a service that are read elsewhere, or that change nothing here. */
const carried = new Set([
  'build', 'command', 'configs', 'container_name', 'cpus', 'cpu_count', 'depends_on', 'deploy', 'entrypoint', 'env_file', 'environment', 'expose', 'extends', 'healthcheck', 'hostname', 'image',
  'links', 'mem_limit', 'mem_reservation', 'networks', 'ports', 'profiles', 'restart', 'scale', 'secrets', 'stop_grace_period', 'volumes', 'tmpfs',
])

interface Lost {
  readonly why: string
  readonly todo: string
}

const nothing = 'nothing, in most cases'
const hostAccess: Lost = {why: 'an app gets no further rights on the host', todo: 'check that it runs without; if it does not, it can not be an app'}
const limits: Lost = {why: 'limits of the kernel are those of the host', todo: nothing}
const image: Lost = {why: 'a definition leaves this to the image', todo: 'build an image that sets it, with build'}

const lostKeys: Readonly<Record<string, Lost>> = {
  annotations: {why: 'containers get no annotations', todo: nothing},
  attach: {why: 'it concerns the terminal of Compose', todo: nothing},
  blkio_config: limits,
  cap_add: hostAccess,
  cap_drop: {why: 'capabilities are not part of the format', todo: nothing},
  cgroup: hostAccess,
  cgroup_parent: hostAccess,
  cpu_shares: limits,
  cpu_quota: limits,
  cpu_period: limits,
  cpuset: limits,
  credential_spec: hostAccess,
  develop: {why: 'it concerns work on the source', todo: nothing},
  device_cgroup_rules: hostAccess,
  devices: hostAccess,
  dns: {why: 'names are resolved by the network of the project', todo: nothing},
  dns_opt: {why: 'names are resolved by the network of the project', todo: nothing},
  dns_search: {why: 'names are resolved by the network of the project', todo: nothing},
  domainname: {why: 'a service is reached by its name', todo: nothing},
  external_links: {why: 'an app does not know containers of others', todo: 'ask for it with requires'},
  extra_hosts: {why: 'names are resolved by the network of the project', todo: 'make the address a setting'},
  gpus: hostAccess,
  group_add: hostAccess,
  init: {why: 'the image brings its own first process', todo: 'check that it ends in time; stopGracePeriod gives it longer'},
  ipc: hostAccess,
  isolation: hostAccess,
  label_file: {why: 'containers get no labels; routes and certificates come from the host names of the project', todo: nothing},
  labels: {why: 'containers get no labels; routes and certificates come from the host names of the project', todo: 'a label that configured a proxy is not needed; others are lost'},
  logging: {why: 'the host decides how logs are kept', todo: nothing},
  mac_address: {why: 'the engine chooses it', todo: nothing},
  memswap_limit: limits,
  mem_swappiness: limits,
  models: {why: 'the format has no models', todo: 'run the model as a service'},
  network_mode: {why: 'every service is on the network of the project', todo: 'reach other services by their names'},
  oom_kill_disable: limits,
  oom_score_adj: limits,
  pid: hostAccess,
  pids_limit: limits,
  platform: {why: 'the engine takes the image for its own platform', todo: 'check that the image is there for amd64 and arm64'},
  post_start: {why: 'the format has prepare for this', todo: 'write it as a step of prepare'},
  pre_stop: {why: 'nothing runs before a stop', todo: 'give stopGracePeriod where it needs time'},
  privileged: hostAccess,
  provider: {why: 'only containers can be services', todo: 'run it as a service'},
  pull_policy: {why: 'images are pulled where they are missing', todo: nothing},
  read_only: {why: 'the file system of the container is writable', todo: nothing},
  runtime: hostAccess,
  security_opt: hostAccess,
  shm_size: {why: 'the format has no size of shared memory', todo: 'check that 64 MB are enough'},
  stdin_open: {why: 'nobody types into the container', todo: nothing},
  stop_signal: image,
  storage_opt: limits,
  sysctls: hostAccess,
  tty: {why: 'nobody looks at a terminal of the container', todo: nothing},
  ulimits: limits,
  use_api_socket: hostAccess,
  user: image,
  userns_mode: hostAccess,
  uts: hostAccess,
  volume_driver: {why: 'volumes are those of the engine', todo: nothing},
  volumes_from: {why: 'the format names volumes one by one', todo: 'give both services the same volume'},
  working_dir: image,
}

/** Tells what of a service has no place in a definition. Keys that start with x- are for other programs. */
export function noteLostKeys({name, fields}: ComposeService, notes: ImportNotes): void {
  for (const [key, value] of Object.entries(fields)) {
    if (carried.has(key) || key.startsWith('x-') || value === null || value === false) continue
    const {why, todo} = (Object.hasOwn(lostKeys, key) ? lostKeys[key] : undefined) ?? {why: 'Compose has no such key', todo: 'correct it, or drop it'}
    notes.add({level: 'lost', service: name, key, why, todo})
  }
}

const topKeys = new Set(['services', 'version', 'name', 'volumes', 'networks', 'configs', 'secrets'])

/** Tells what stands outside of services and has no place in a definition. */
export function noteLostTopKeys(compose: Readonly<Record<string, unknown>>, notes: ImportNotes): void {
  for (const key of Object.keys(compose)) {
    if (topKeys.has(key) || key.startsWith('x-')) continue
    const why = key === 'include' ? 'other Compose files are not followed' : 'a definition has nothing like it'
    notes.add({level: 'lost', service: null, key, why, todo: key === 'include' ? 'merge them first: docker compose config' : 'nothing, or write it by hand'})
  }
  for (const kind of ['volumes', 'networks'] as const) {
    const declared = compose[kind]
    for (const [name, value] of Object.entries(isFields(declared) ? declared : {})) {
      const special = isFields(value) ? Object.keys(value).filter((key) => key !== 'name' && key !== 'labels' && value[key] !== null && value[key] !== false && !key.startsWith('x-')) : []
      if (special.length === 0) continue
      const why = `each project has its own ${kind}, with the defaults of the engine (${special.join(', ')})`
      notes.add({level: 'lost', service: null, key: `${kind}.${name}`, why, todo: kind === 'volumes' ? 'copy the data in after the install, where there is any' : nothing})
    }
  }
}
