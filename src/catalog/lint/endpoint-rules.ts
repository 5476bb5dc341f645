import {servedPorts} from '../endpoints.js'
import type {Endpoint} from '../definition.js'
import {findRepeats} from './repeats.js'
import type {Rule} from './rule.js'

const endpoint = {service: 'web', port: 8090, label: 'Web', kind: 'http'}
const app = (...endpoints: object[]) => ({app: {endpoints}})

/** How each port is reached. */
export const endpointRules: readonly Rule[] = [
  {
    id: 'endpoint-port-unserved', severity: 'info', meaning: 'an endpoint for a port that its service does not name',
    why: 'That is fine for a port only other projects use; otherwise the port is wrong, or a route is missing.',
    bad: app({...endpoint, port: 9000, kind: 'tcp'}), good: app(endpoint),
    check: ({definition: {endpoints = []}, findService, isComplete}) =>
      !isComplete('services.*.ports', 'services.*.routes', 'services.*.exposedPort')
        ? []
        : endpoints.flatMap(({service, port}, index) => {
            const found = findService(service)
            const ports = found === undefined ? [] : servedPorts(found)
            return found === undefined || ports.includes(port) ? [] : [{path: ['endpoints', index, 'port'], message: `${service} neither exposes nor publishes port ${port}${ports.length === 0 ? '' : `; it has ${ports.join(', ')}`}`}]
          }),
  },
  {
    id: 'endpoint-mode-kind', severity: 'warning', meaning: 'a mode that does not go with the kind of the endpoint',
    why: 'http endpoints are reached by domain or port, tcp ones by publish or internal; anything else is ignored.',
    bad: app({...endpoint, defaultMode: 'publish'}), good: app({...endpoint, defaultMode: 'domain'}),
    check: ({definition: {endpoints = []}}) => endpoints.flatMap((one, index) => checkModes(one).map(({at, message}) => ({path: ['endpoints', index, ...at], message}))),
  },
  {
    id: 'endpoint-duplicate', severity: 'warning', meaning: 'two endpoints for one port of a service',
    why: 'The second is never used.',
    bad: app(endpoint, {...endpoint, label: 'Site'}), good: app(endpoint),
    check: ({definition: {endpoints = []}}) =>
      findRepeats(endpoints, ({service, port, kind}) => `${service}\0${port}\0${kind}`).map(({item, index}) => ({path: ['endpoints', index], message: `port ${item.port} of ${item.service} has an endpoint already`})),
  },
]

const modesOf: Readonly<Record<Endpoint['kind'], readonly string[]>> = {http: ['domain', 'port'], tcp: ['publish', 'internal']}

function checkModes({kind, defaultMode, allowedModes}: Endpoint): {at: (string | number)[]; message: string}[] {
  const fits = modesOf[kind]
  const bad = (mode: string): string => `${mode} does not go with ${kind}; use ${fits.join(' or ')}`
  const allowed: {at: (string | number)[]; message: string}[] = (allowedModes ?? []).flatMap((mode, index) => (fits.includes(mode) ? [] : [{at: ['allowedModes', index], message: bad(mode)}]))
  if (defaultMode === undefined) return allowed
  if (!fits.includes(defaultMode)) return [{at: ['defaultMode'], message: bad(defaultMode)}, ...allowed]
  return allowedModes?.includes(defaultMode) === false ? [{at: ['defaultMode'], message: `${defaultMode} is none of the allowedModes`}, ...allowed] : allowed
}

