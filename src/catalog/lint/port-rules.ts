import {declaredRoutes, parsePort} from '../endpoints.js'
import type {JsonPath} from '../json-tree.js'
import type {LintContext} from './lint-context.js'
import type {Problem, Rule} from './rule.js'

const web = {name: 'web', image: 'ghcr.io/example/paste:1.4.2'}
const app = (...services: object[]) => ({app: {services}})
const mapped = (name: string, port: string) => ({...web, name, exposed: true, exposedPort: 80, ports: [port]})

/** Ports of services: how they are written, and whether anyone reaches them. */
export const portRules: readonly Rule[] = [
  {
    id: 'port-syntax', severity: 'error', meaning: 'a port mapping that can not be read',
    why: 'A mapping is "HOST:CONTAINER", "ADDRESS:HOST:CONTAINER" or "CONTAINER", with /tcp or /udp where needed; ports are 1 to 65535. Write one entry for each port of a range.',
    bad: app(mapped('web', '8090:http')), good: app(mapped('web', '8090:80/tcp')),
    check: ({services}) =>
      services.flatMap(({item: {ports = []}, path}) =>
        ports.flatMap((port, index) => (parsePort(port) === undefined ? [{path: [...path, 'ports', index], message: `${JSON.stringify(port)} is no port mapping; ${adviceFor(port)}`}] : [])),
      ),
  },
  {
    id: 'port-number', severity: 'error', meaning: 'a port that is not a whole number from 1 to 65535',
    why: 'Nothing can listen there.',
    bad: app({...web, exposed: true, exposedPort: 80900}), good: app({...web, exposed: true, exposedPort: 8090}),
    check: (lint) => portNumbers(lint).filter(({port}) => !Number.isInteger(port) || port < 1 || port > 65_535).map(({port, path}) => ({path, message: `${port} is no port; ports are whole numbers from 1 to 65535`})),
  },
  {
    id: 'host-port-twice', severity: 'error', meaning: 'one port of the host for two mappings',
    why: 'The second container does not start. Give each mapping its own host port.',
    bad: app(mapped('web', '8090:80'), mapped('admin', '8090:80')), good: app(mapped('web', '8090:80'), mapped('admin', '8091:80')),
    check: findTwice,
  },
  {
    id: 'exposed-without-port', severity: 'warning', meaning: 'an exposed service without a port',
    why: 'exposed alone offers nothing: say the container port in exposedPort or routes.',
    bad: app({...web, exposed: true}), good: app({...web, exposed: true, exposedPort: 8090}),
    check: ({services, isComplete}) =>
      services.filter(({item}) => item.exposed === true && declaredRoutes(item).length === 0 && isComplete('services.*.routes', 'services.*.exposedPort')).map(({path}) => ({path: [...path, 'exposed'], message: 'the service is exposed, but no port is; add exposedPort'})),
  },
  {
    id: 'port-without-exposed', severity: 'warning', meaning: 'public ports on a service that is not exposed',
    why: 'exposedPort and routes have no effect unless the service has exposed: true.',
    bad: app({...web, exposedPort: 8090}), good: app({...web, exposed: true, exposedPort: 8090}),
    check: ({services, isComplete}) =>
      services.flatMap(({item, path}) => {
        const key = item.exposedPort !== undefined ? 'exposedPort' : (item.routes ?? []).length > 0 ? 'routes' : undefined
        return key === undefined || item.exposed === true || !isComplete('services.*.exposed') ? [] : [{path: [...path, key], part: 'key' as const, message: `nobody reaches this port: the service does not say exposed: true`}]
      }),
  },
  {
    id: 'port-unannounced', severity: 'info', meaning: 'a published port that no route and no endpoint names',
    why: 'People are never told of it. Declare an endpoint for it, or leave the mapping out: services of one project reach each other without.',
    bad: app({...web, exposed: true, exposedPort: 8090, ports: ['8090:8090', '9000:9000']}),
    good: {app: {services: [{...web, exposed: true, exposedPort: 8090, ports: ['8090:8090', '9000:9000']}], endpoints: [{service: 'web', port: 8090, label: 'Web', kind: 'http'}, {service: 'web', port: 9000, label: 'Metrics', kind: 'tcp'}]}},
    check: findUnannounced,
  },
]

function adviceFor(port: string): string {
  if (/^\s*\d+-\d+/.test(port) || /:\d+-\d+/.test(port)) return 'write one entry for each port of the range'
  if (/^\s+|\s+$/.test(port)) return 'delete the white space'
  return 'write "HOST:CONTAINER" with ports from 1 to 65535, such as "8090:80"'
}

function portNumbers({services, definition}: LintContext): {port: number; path: JsonPath}[] {
  return [
    ...services.flatMap(({item, path}) => [
      ...(item.exposedPort === undefined ? [] : [{port: item.exposedPort, path: [...path, 'exposedPort']}]),
      ...(item.routes ?? []).map(({port}, index) => ({port, path: [...path, 'routes', index, 'port']})),
    ]),
    ...(definition.endpoints ?? []).map(({port}, index) => ({port, path: ['endpoints', index, 'port']})),
  ]
}

function findTwice({services}: LintContext): Problem[] {
  const seen = new Map<string, {readonly address: string; readonly service: string}[]>()
  return services.flatMap(({item, path}) =>
    (item.ports ?? []).flatMap((text, index) => {
      const port = parsePort(text)
      if (port === undefined || port.hostPort === null) return []
      const key = `${port.hostPort}/${port.protocol}`
      // Without an address a mapping answers on the machine itself only.
      const address = port.hostAddress ?? '127.0.0.1'
      const mappings = seen.get(key) ?? []
      seen.set(key, [...mappings, {address, service: item.name}])
      const other = mappings.find((mapping) => mapping.address === address || everywhere.has(mapping.address) || everywhere.has(address))
      return other === undefined ? [] : [{path: [...path, 'ports', index], message: `the host port ${port.hostPort} is mapped already, by ${other.service}`}]
    }),
  )
}

const everywhere: ReadonlySet<string> = new Set(['0.0.0.0', '[::]'])

function findUnannounced({services, definition, isComplete}: LintContext): Problem[] {
  if (!isComplete('services.*.routes', 'services.*.exposedPort', 'endpoints')) return []
  const {endpoints = []} = definition
  return services.flatMap(({item, path}) => {
    const told = new Set([...declaredRoutes(item).map(({port}) => port), ...endpoints.filter(({service}) => service === item.name).map(({port}) => port)])
    return (item.ports ?? []).flatMap((text, index) => {
      const port = parsePort(text)
      return port === undefined || told.has(port.containerPort) ? [] : [{path: [...path, 'ports', index], message: `the port ${port.containerPort} is published, but no route and no endpoint names it`}]
    })
  })
}
