import type {ComposePort, ComposeService} from '../../../src/compose/compose-model.js'
import {labelNames} from '../../../src/compose/release.js'
import {Fault} from '../../../src/contract/faults.js'
import type {Engine} from '../../servers/engine/engine.js'

type Taken = Awaited<ReturnType<Engine['takenPorts']>>[number]

export interface WantedPort extends ComposePort {
  readonly service: string
}

export interface Collision {
  readonly port: number
  readonly protocol: 'tcp' | 'udp'
  readonly service: string
  /** Who holds it, where that can be told. */
  readonly by: string | null
}

/** Throws PORT_IN_USE where a port of the host that services want is held by anybody but containers of the same project. */
export function refuseCollisions(wanted: readonly WantedPort[], taken: readonly Taken[], projectId: string): void {
  const collisions = findCollisions(wanted, taken.filter(({labels}) => labels[labelNames.project] !== projectId))
  const [first] = collisions
  if (first === undefined) return
  const told = collisions.map(({port, protocol, service, by}) => `port ${port}/${protocol} of ${service} is taken${by === null ? '' : ` by ${by}`}`)
  throw new Fault('PORT_IN_USE', `${told.slice(0, 3).join('; ')}${told.length > 3 ? `; and ${told.length - 3} more` : ''}; nothing was stopped`, {details: {ports: collisions}})
}

export function findCollisions(wanted: readonly WantedPort[], taken: readonly Taken[]): Collision[] {
  return wanted.flatMap((port): Collision[] => {
    if (port.hostPort === null) return []
    const holder = taken.find((held) => held.port === port.hostPort && held.protocol === port.protocol && overlaps(held.hostAddress, port.hostAddress))
    return holder === undefined ? [] : [{port: port.hostPort, protocol: port.protocol, service: port.service, by: holder.by}]
  })
}

/** The ports of the host that services ask for by number. */
export function wantedPorts(services: readonly ComposeService[], loopback: boolean): WantedPort[] {
  return services.flatMap(({name, ports}) => ports.map((port) => ({...port, hostAddress: port.hostAddress ?? (loopback ? '127.0.0.1' : null), service: name})))
}

const everywhere = new Set(['', '0.0.0.0', '::', '*'])

function overlaps(one: string | null, other: string | null): boolean {
  const [a, b] = [one ?? '', other ?? '']
  return everywhere.has(a) || everywhere.has(b) || a === b
}
