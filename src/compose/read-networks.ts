import {findClosest} from '../text/edit-distance.js'
import type {ComposeAttachment} from './compose-model.js'
import {warnUnknownKeys} from './problems.js'
import type {ReadContext} from './read-context.js'
import {readMap, readTexts, toData, toRecord} from './read-values.js'
import {childOf, type MapNode, type TreeNode} from './tree.js'

const passed = ['ipv4_address', 'ipv6_address', 'link_local_ips', 'priority', 'mac_address', 'driver_opts', 'gw_priority', 'interface_name']

/** The networks that a service joins: `default` where it names none. */
export function readNetworks(service: MapNode, context: ReadContext): Record<string, ComposeAttachment> {
  const {problems, declared} = context
  const map = readMap(childOf(service, 'networks'), problems)
  const mode = childOf(service, 'network_mode')
  if (map === undefined || map.entries.size === 0) return mode?.kind === 'text' ? {} : {default: {aliases: []}}
  if (mode?.kind === 'text') problems.error(mode.place, 'there is network_mode and networks; keep one')
  return toRecord(
    [...map.entries].map(([name, {key, value}]): [string, ComposeAttachment] => {
      const names = declared('networks')
      if (name !== 'default' && !names.has(name)) {
        const closest = findClosest(name, names.keys())
        problems.error(key, `there is no network ${name}; ${closest === undefined ? 'add it under networks at the end of the file' : `did you mean ${closest}?`}`)
      }
      return [name, readAttachment(value, context)]
    }),
  )
}

function readAttachment(node: TreeNode, {problems}: ReadContext): ComposeAttachment {
  const map = readMap(node, problems)
  if (map === undefined) return {aliases: []}
  warnUnknownKeys(map, ['aliases', ...passed], problems)
  const others = passed.flatMap((key): [string, unknown][] => {
    const value = childOf(map, key)
    return value === undefined || value.kind === 'null' ? [] : [[key, toData(value, key.endsWith('priority'))]]
  })
  return {aliases: readTexts(childOf(map, 'aliases'), problems), ...(others.length > 0 && {others: toRecord(others)})}
}
