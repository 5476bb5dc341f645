import type {AppDefinition, Endpoint, Management, Service} from './definition.js'

/** A port mapping in the short form of Compose. */
export interface PortMapping {
  /** Interface of the host; null where the mapping names none. */
  readonly hostAddress: string | null
  /** Null where the engine chooses one. */
  readonly hostPort: number | null
  readonly containerPort: number
  readonly protocol: 'tcp' | 'udp'
}

/** Reads `CONTAINER`, `HOST:CONTAINER` or `ADDRESS:HOST:CONTAINER`, each with `/tcp` or `/udp`; undefined for anything else. */
export function parsePort(text: string): PortMapping | undefined {
  const match = /^(?:(?:(\d{1,3}(?:\.\d{1,3}){3}|\[[0-9a-fA-F:]+\]):)?(\d{1,5})?:)?(\d{1,5})(?:\/(tcp|udp))?$/.exec(text.trim())
  if (match?.[3] === undefined) return undefined
  const [hostPort, containerPort] = [match[2] === undefined ? null : Number(match[2]), Number(match[3])]
  if (!isPort(containerPort) || (hostPort !== null && !isPort(hostPort))) return undefined
  return {hostAddress: match[1] ?? null, hostPort, containerPort, protocol: match[4] === 'udp' ? 'udp' : 'tcp'}
}

function isPort(port: number): boolean {
  return Number.isInteger(port) && port >= 1 && port <= 65_535
}

export interface DeclaredRoute {
  readonly port: number
  readonly slugSuffix?: string | undefined
}

/** The public ports of a service in order: its routes, each port once, then the main one where they do not name it. */
export function declaredRoutes({routes = [], exposedPort}: Pick<Service, 'routes' | 'exposedPort'>): DeclaredRoute[] {
  const all = exposedPort === undefined ? routes : [...routes, {port: exposedPort}]
  const seen = new Set<number>()
  return all.filter(({port}) => seen.size < seen.add(port).size)
}

/** Every container port a service answers on: its routes and the container side of its mappings. */
export function servedPorts(service: Pick<Service, 'routes' | 'exposedPort' | 'ports'>): number[] {
  const mapped = (service.ports ?? []).map((port) => parsePort(port)?.containerPort)
  return [...new Set([...declaredRoutes(service).map(({port}) => port), ...mapped])].filter((port) => port !== undefined)
}

/** How each port is reached: what the definition says, else one public endpoint for each route of each exposed service. */
export function endpointsOf({endpoints = [], services = []}: Pick<AppDefinition, 'endpoints' | 'services'>): Endpoint[] {
  if (endpoints.length > 0) return endpoints
  return services
    .filter(({exposed}) => exposed === true)
    .flatMap((service) =>
      declaredRoutes(service).map(({port, slugSuffix}) => ({
        service: service.name,
        port,
        label: slugSuffix === undefined ? service.name : `${service.name} (${slugSuffix})`,
        kind: 'http' as const,
        scope: 'public' as const,
      })),
    )
}

/** Where the settings of an app are edited: what the definition says, else a form where there are settings. */
export function managementOf({management, settings = []}: Pick<AppDefinition, 'management' | 'settings'>): Management | null {
  return management ?? (settings.length > 0 ? {kind: 'schema'} : null)
}
