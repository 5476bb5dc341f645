import type {AppDefinition, ConnectionOutput, Endpoint} from './definition.js'
import {endpointsOf, parsePort, servedPorts} from './endpoints.js'
import {parseOutputSource} from './output-source.js'

/** A value as another project on the same server uses it. */
export type InternalValue =
  | {readonly kind: 'verbatim'; readonly value: string}
  /** It leads to a service by its name. */
  | {readonly kind: 'internal'; readonly value: string; readonly service: string}
  | {readonly kind: 'impossible'; readonly reason: string}

type Output = Pick<ConnectionOutput, 'source' | 'service'>

/** Turns the address in a value into that of the service itself: its name and the port of its container. What is no address stays as it is. */
export function toInternalValue(value: string, output: Output, definition: AppDefinition): InternalValue {
  const url = splitUrl(value)
  if (url === undefined) return {kind: 'verbatim', value}
  const names = (definition.services ?? []).map(({name}) => name)
  // It says already where in the project it leads.
  if (names.includes(url.host)) return {kind: 'internal', value, service: url.host}
  const source = parseOutputSource(output.source)
  const named = output.service ?? (source === undefined || source.kind === 'template' ? undefined : source.service)
  const port = source?.kind === 'publicUrl' ? source.port : undefined
  const endpoint = findEndpoint(definition, {service: named, port, valuePort: url.port})
  if (endpoint === undefined) return {kind: 'impossible', reason: named === undefined ? 'it does not say which service it belongs to' : `the service ${named} declares no port`}
  const scheme = endpoint.kind === 'http' && url.scheme === 'https' ? 'http' : url.scheme
  return {kind: 'internal', value: `${scheme}://${url.login}${endpoint.service}:${endpoint.port}${url.rest}`, service: endpoint.service}
}

interface SplitUrl {
  readonly scheme: string
  /** With its @. */
  readonly login: string
  readonly host: string
  readonly port: number | undefined
  readonly rest: string
}

// Taken apart by hand, so that a password stays word for word what it is. Several hosts in one value are none of ours.
function splitUrl(value: string): SplitUrl | undefined {
  const {scheme, login = '', host, port, rest = ''} = /^(?<scheme>[a-zA-Z][a-zA-Z0-9+.-]*):\/\/(?<login>[^/?#]*@)?(?<host>\[[^\]]*\]|[^/?#:@,]+)(?::(?<port>\d+))?(?<rest>(?:[/?#].*)?)$/s.exec(value)?.groups ?? {}
  return scheme === undefined || host === undefined ? undefined : {scheme, login, host, port: port === undefined ? undefined : Number(port), rest}
}

interface Sought {
  readonly service: string | undefined
  /** What the output itself names. */
  readonly port: number | undefined
  readonly valuePort: number | undefined
}

type Place = Pick<Endpoint, 'service' | 'port' | 'kind'>

function findEndpoint(definition: AppDefinition, {service, port, valuePort}: Sought): Place | undefined {
  const all = endpointsOf(definition)
  if (service === undefined) return all.find((endpoint) => endpoint.port === valuePort)
  const own = all.filter((endpoint) => endpoint.service === service)
  const declared = definition.services?.find(({name}) => name === service)
  const mapped = (declared?.ports ?? []).map(parsePort).find((mapping) => mapping?.hostPort === valuePort)?.containerPort
  const at = (wanted: number | undefined): Place | undefined => own.find((endpoint) => endpoint.port === wanted)
  if (port !== undefined) return at(port) ?? {service, port, kind: 'http'}
  const [served] = declared === undefined ? [] : servedPorts(declared)
  const chosen = at(valuePort) ?? at(mapped) ?? own.find(({required}) => required === true) ?? own.find(({required}) => required !== false) ?? own[0]
  return chosen ?? (served === undefined ? undefined : {service, port: mapped ?? served, kind: 'tcp'})
}
