import {sleep, type Clock} from '../../clock.js'
import type {ContainerFacts, Engine} from '../../servers/engine/engine.js'

export interface SilentPortsParts {
  readonly engine: Engine
  readonly clock: Clock
  readonly settleMs: number
  readonly signal: AbortSignal
}

export interface UpService {
  readonly name: string
  readonly container: ContainerFacts
  /** Ports on which it was seen to listen already; not all, maybe. */
  readonly listening: readonly number[]
}

/** A line for each published TCP port of services that are up behind which nothing listens. One that listens a moment later is not told of. */
export async function findSilentPorts(parts: SilentPortsParts, services: readonly UpService[]): Promise<string[]> {
  const first = await ask(parts, services.filter(({container, listening}) => publishedPorts(container).some((port) => !listening.includes(port))))
  if (first.length === 0) return []
  await sleep(parts.clock, parts.settleMs, parts.signal)
  const silent = await ask(parts, first)
  return silent.map(({name, ports, listening}) => {
    const instead = listening.length === 0 ? '' : `, only on ${listening.join(', ')}`
    return `nothing listens on port ${ports.join(', ')} of ${name}, which is published${instead}`
  })
}

interface Silent extends UpService {
  readonly ports: readonly number[]
}

function publishedPorts({ports}: ContainerFacts): number[] {
  return [...new Set(ports.filter(({protocol}) => protocol === 'tcp').map(({containerPort}) => containerPort))]
}

async function ask({engine, signal}: SilentPortsParts, services: readonly UpService[]): Promise<Silent[]> {
  const asked = await Promise.all(services.map(async ({name, container}): Promise<Silent[]> => {
    const published = publishedPorts(container)
    const listening = published.length === 0 || container.state !== 'running' ? null : await engine.listeningPorts(container, {signal})
    if (listening === null) return []
    const ports = published.filter((port) => !listening.includes(port))
    return ports.length === 0 ? [] : [{name, container, ports, listening}]
  }))
  return asked.flat()
}
