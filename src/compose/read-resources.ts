import type {ComposeNetwork, ComposeVolume} from './compose-model.js'
import {warnUnknownKeys, type Problems} from './problems.js'
import {readBoolean, readRecord, readText, toData, toRecord} from './read-values.js'
import {childOf, type MapNode, type TreeNode} from './tree.js'

type Read = (node: TreeNode, problems: Problems) => unknown

const volumeKeys: Readonly<Record<string, Read>> = {driver: readText, driver_opts: readRecord, labels: readRecord}

const networkKeys: Readonly<Record<string, Read>> = {
  driver: readText,
  driver_opts: readRecord,
  ipam: (node) => toData(node, false),
  internal: readBoolean,
  attachable: readBoolean,
  enable_ipv4: readBoolean,
  enable_ipv6: readBoolean,
  labels: readRecord,
}

export function readVolume(key: string, node: MapNode, problems: Problems): ComposeVolume {
  const volume = {key, ...readResource(node, volumeKeys, problems)}
  const device = childOf(childOf(node, 'driver_opts'), 'device')
  if (device?.kind === 'text' && /^\.{1,2}(?:\/|$)/.test(device.text)) problems.error(device.place, `${device.text} would be looked for on the server; mount the folder in the service itself, or write a path of the server from /`)
  return volume
}

export function readNetwork(key: string, node: MapNode, problems: Problems): ComposeNetwork {
  const driver = childOf(node, 'driver')
  if (driver?.kind === 'text' && driver.text === 'overlay') problems.error(driver.place, 'an overlay network needs a swarm, and there is none here; take the driver away')
  return {key, ...readResource(node, networkKeys, problems)}
}

function readResource(node: MapNode, keys: Readonly<Record<string, Read>>, problems: Problems): {name: string | null; external: boolean; others: Record<string, unknown>} {
  warnUnknownKeys(node, ['name', 'external', ...Object.keys(keys)], problems)
  const others = Object.entries(keys).flatMap(([key, read]): [string, unknown][] => {
    const child = childOf(node, key)
    const value = child === undefined || child.kind === 'null' ? undefined : read(child, problems)
    return value === undefined || (typeof value === 'object' && value !== null && Object.keys(value).length === 0) ? [] : [[key, value]]
  })
  const name = readText(childOf(node, 'name'), problems)
  return {name: name === undefined || name === '' ? null : name, external: readBoolean(childOf(node, 'external'), problems) ?? false, others: toRecord(others)}
}
