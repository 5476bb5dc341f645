import type {ComposePort} from './compose-model.js'
import type {Problems} from './problems.js'
import type {PlacedPort} from './read-ports.js'

interface Publisher {
  readonly name: string
  readonly ports: readonly PlacedPort[]
}

/** Two ports of the project on the same port of the host can never both start. */
export function checkPorts(services: readonly Publisher[], problems: Problems): void {
  const taken = new Map<string, {readonly name: string; readonly port: ComposePort}[]>()
  for (const {name, ports} of services) {
    for (const {port, place} of ports) {
      if (port.hostPort === null) continue
      const key = `${port.hostPort}/${port.protocol}`
      const others = taken.get(key) ?? []
      const other = others.find((held) => overlaps(held.port.hostAddress, port.hostAddress))
      if (other !== undefined) {
        const who = other.name === name ? `${name} itself` : other.name
        problems.error(place, `port ${key} of the host is published by ${who} already; publish one of them on another port`)
      }
      taken.set(key, [...others, {name, port}])
    }
  }
}

function overlaps(a: string | null, b: string | null): boolean {
  const [x, y] = [a ?? 'all', b ?? 'all'].map((address) => address.toLowerCase())
  if (x === undefined || y === undefined || x === y || x === 'all' || y === 'all') return true
  const isSix = (address: string) => address.includes(':')
  return isSix(x) === isSix(y) && [x, y].some((address) => address === '0.0.0.0' || address === '::')
}
