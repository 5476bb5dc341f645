import {parsePorts} from '../../../src/compose/port-text.js'
import type {ProjectRecord, ServiceRecord} from '../records.js'
import type {CardOutput} from './read-card.js'

/** The service of a project that is one image or one Dockerfile. */
const onlyService = 'app'
const usualPort = 3000

/** Where a service is reached by its name. */
interface InternalAddress {
  readonly host: string
  readonly port: number
  readonly service: string
}

/** The services of a project as others on its network reach them, those that are exposed first. */
export function internalOutputs(project: ProjectRecord, services: readonly ServiceRecord[]): CardOutput[] {
  return addressesOf(project, services).map(({host, port}) => ({
    id: host, label: host, secret: false, value: `http://${host}:${port}`, envKey: toEnvKey(host), service: host, internal: true, width: 'full',
  }))
}

/** The service behind a host name of `internalOutputs`. */
export function serviceBehind(project: ProjectRecord, services: readonly ServiceRecord[], host: string): string | undefined {
  return addressesOf(project, services).find((address) => address.host === host)?.service
}

function addressesOf(project: ProjectRecord, services: readonly ServiceRecord[]): InternalAddress[] {
  if (isSingle(project, services)) {
    const alias = aliasOf(services[0])
    return project.hasServer ? [{host: alias ?? project.slug, port: project.port === 0 ? usualPort : project.port, service: onlyService}] : []
  }
  return services
    .filter(({enabled}) => enabled)
    .toSorted((a, b) => Number(b.exposed) - Number(a.exposed))
    .flatMap((service) => {
      const port = portOf(service)
      return port === undefined ? [] : [{host: aliasOf(service) ?? service.name, port, service: service.name}]
    })
}

function isSingle({projectType, isApp}: ProjectRecord, services: readonly ServiceRecord[]): boolean {
  if (isApp || projectType === 'services') return false
  return services.length === 0 || (services.length === 1 && services[0]?.name === onlyService)
}

function aliasOf(service: ServiceRecord | undefined): string | undefined {
  const alias = service?.advanced['alias']
  return typeof alias === 'string' ? alias : undefined
}

function portOf({exposedPort, publicEndpoints, ports}: ServiceRecord): number | undefined {
  if (exposedPort !== null && /^\d+$/.test(exposedPort)) return Number(exposedPort)
  const [first] = ports.flatMap((text) => {
    const parsed = parsePorts(text)
    return typeof parsed === 'string' ? [] : parsed.filter(({protocol}) => protocol === 'tcp')
  })
  return publicEndpoints[0]?.port ?? first?.containerPort
}

function toEnvKey(host: string): string {
  const key = `${host.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_').replaceAll(/^_+|_+$/g, '')}_URL`
  return key === '_URL' ? 'SERVICE_URL' : /^\d/.test(key) ? `_${key}` : key
}
