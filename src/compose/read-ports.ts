import type {ComposePort} from './compose-model.js'
import {expandPorts, formatPort, parsePorts, rangeOf} from './port-text.js'
import {warnUnknownKeys, type Problems} from './problems.js'
import {readItems, readText} from './read-values.js'
import {childOf, type MapNode, type Place, type TreeNode} from './tree.js'

export interface PlacedPort {
  readonly port: ComposePort
  readonly place: Place
}

/** Published ports, ranges one by one, each once. */
export function readPorts(service: MapNode, problems: Problems): readonly PlacedPort[] {
  const found = new Map<string, PlacedPort>()
  for (const item of readItems(childOf(service, 'ports'), problems)) {
    const ports = item.kind === 'map' ? readLong(item, problems) : readShort(item, problems)
    if (typeof ports === 'string') problems.error(item.place, ports)
    else for (const port of ports) found.set(formatPort(port), {port, place: item.place})
  }
  return [...found.values()]
}

function readShort(node: TreeNode, problems: Problems): readonly ComposePort[] | string {
  const text = readText(node, problems)
  return text === undefined ? [] : parsePorts(text)
}

function readLong(node: MapNode, problems: Problems): readonly ComposePort[] | string {
  warnUnknownKeys(node, ['target', 'published', 'host_ip', 'protocol', 'mode', 'name', 'app_protocol'], problems)
  const [target, published, address, protocol] = ['target', 'published', 'host_ip', 'protocol'].map((key) => readText(childOf(node, key), problems))
  const container = readRange(target)
  const host = readRange(published)
  if (container === null) return 'a port needs target, its number in the container'
  if (container === undefined || host === undefined) return `${JSON.stringify(container === undefined ? target : published)} is no port; write a number, or two with a hyphen for a range`
  return expandPorts({address: address === undefined || address === '' ? null : address.replace(/^\[(.*)\]$/, '$1'), host, container, protocol: protocol ?? 'tcp'})
}

// Undefined is what is no range, null is none at all.
function readRange(text: string | undefined): ReturnType<typeof rangeOf> | undefined {
  if (text === undefined || text === '') return null
  const [, from, to] = /^(\d+)(?:-(\d+))?$/.exec(text) ?? []
  return from === undefined ? undefined : rangeOf(from, to)
}
