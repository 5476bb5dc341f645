import type {Problems} from './problems.js'
import {readSize} from './read-deploy.js'
import {readDuration} from './read-healthcheck.js'
import {readBoolean, readInteger, readItems, readNumber, readRecord, readText, readTexts, toData, toRecord} from './read-values.js'
import {childOf, type MapNode, type TreeNode} from './tree.js'

type Read = (node: TreeNode, problems: Problems) => unknown

const size: Read = readSize
const scalar: Read = (node) => (node.kind === 'text' && /^\d+$/.test(node.text) ? Number(node.text) : node.kind === 'text' ? node.text : undefined)
const data: Read = (node) => toData(node, true)

/** Keys that go on to the engine as they are, and what type they have. */
const passed: Readonly<Record<string, Read>> = {
  annotations: readRecord,
  blkio_config: data,
  cap_add: readTexts,
  cap_drop: readTexts,
  cgroup: readText,
  cgroup_parent: readText,
  cpu_count: readInteger,
  cpu_percent: readInteger,
  cpu_period: scalar,
  cpu_quota: scalar,
  cpu_rt_period: scalar,
  cpu_rt_runtime: scalar,
  cpu_shares: readInteger,
  cpus: readNumber,
  cpuset: readText,
  device_cgroup_rules: readTexts,
  devices: readDevices,
  dns: readTexts,
  dns_opt: readTexts,
  dns_search: readTexts,
  domainname: readText,
  expose: readTexts,
  external_links: readTexts,
  extra_hosts: readTexts,
  group_add: readTexts,
  hostname: readText,
  init: readBoolean,
  ipc: readText,
  isolation: readText,
  links: readTexts,
  logging: (node) => toData(node, false),
  mac_address: readText,
  mem_limit: size,
  mem_reservation: size,
  mem_swappiness: readInteger,
  memswap_limit: size,
  network_mode: readText,
  oom_kill_disable: readBoolean,
  oom_score_adj: readInteger,
  pid: readText,
  pids_limit: readInteger,
  platform: readText,
  post_start: data,
  pre_stop: data,
  privileged: readBoolean,
  pull_policy: readText,
  read_only: readBoolean,
  runtime: readText,
  security_opt: readTexts,
  shm_size: size,
  stdin_open: readBoolean,
  stop_signal: readText,
  storage_opt: readRecord,
  sysctls: readRecord,
  tty: readBoolean,
  ulimits: data,
  user: readText,
  userns_mode: readText,
  uts: readText,
  volumes_from: readTexts,
  working_dir: readText,
}

export const passedKeys = Object.keys(passed)

export function readOthers(service: MapNode, problems: Problems): Record<string, unknown> {
  const read = passedKeys.flatMap((key): [string, unknown][] => {
    const node = childOf(service, key)
    const value = node === undefined || node.kind === 'null' ? undefined : passed[key]?.(node, problems)
    return value === undefined || isNothing(value) ? [] : [[key, value]]
  })
  return toRecord(read)
}

// An empty list says nothing. What takes something away has another form.
function isNothing(value: unknown): boolean {
  return (Array.isArray(value) && value.length === 0) || (typeof value === 'object' && value !== null && Object.keys(value).length === 0)
}

/** Devices as texts: the long form has nothing more to say. */
function readDevices(node: TreeNode, problems: Problems): readonly string[] {
  return readItems(node, problems).flatMap((item) => {
    if (item.kind !== 'map') return readText(item, problems) ?? []
    const [source, target, permissions] = ['source', 'target', 'permissions'].map((key) => readText(childOf(item, key), problems))
    if (source === undefined) {
      problems.error(item.place, 'a device needs source, its path on the server')
      return []
    }
    return [source, ...(target === undefined && permissions === undefined ? [] : [target ?? source]), ...(permissions === undefined ? [] : [permissions])].join(':')
  })
}

export function readGracePeriod(service: MapNode, problems: Problems): string | null {
  return readDuration(childOf(service, 'stop_grace_period'), problems)
}
