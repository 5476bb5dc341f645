import type {AppDefinition, Service} from '../../src/catalog/definition.js'
import {declaredRoutes, servedPorts} from '../../src/catalog/endpoints.js'
import {defaultRouteLabel, normalizeLabel} from '../../src/catalog/route-label.js'
import {Fault} from '../../src/contract/faults.js'

/** How one port of a service is to be reached, as somebody chose it at the install. */
export interface RouteChoice {
  readonly service: string
  readonly port: number
  readonly mode: 'port' | 'free' | 'custom'
  readonly domain?: string | undefined
  readonly customDomain?: string | undefined
}

export interface PublicEndpoint {
  readonly port: number
  readonly domain: string | null
  readonly customDomain: string | null
  readonly domainType: 'free' | 'custom'
}

/** Refuses choices that an install could not carry out, before anything is written. */
export function checkRoutes({services = []}: Pick<AppDefinition, 'services'>, choices: readonly RouteChoice[]): void {
  const seen = new Set<string>()
  for (const [index, choice] of choices.entries()) {
    const {service: name, port, mode, domain, customDomain} = choice
    const service = services.find((candidate) => candidate.name === name)
    if (service === undefined) throw refuse(index, 'service', `this app has no service ${name}`)
    if (!servedPorts(service).includes(port)) throw refuse(index, 'port', `the service ${name} does not serve port ${port}; it serves ${servedPorts(service).join(', ') || 'none'}`)
    if (seen.has(`${name}:${port}`)) throw refuse(index, 'port', `port ${port} of ${name} is routed twice`)
    seen.add(`${name}:${port}`)
    if (mode === 'custom') checkHostname(index, customDomain)
    if (mode === 'free' && domain !== undefined && domain !== '' && !/[a-z0-9]/i.test(domain)) throw refuse(index, 'domain', `"${domain}" is not a label of a host name`)
  }
}

/** What becomes of the choices for one service: its declared routes first, so that the main one stays the first. */
export function planRoutes(service: Service, slug: string, choices: readonly RouteChoice[]): PublicEndpoint[] {
  const own = choices.filter((choice) => choice.service === service.name)
  const declared = declaredRoutes(service)
  const ports = [...declared.map(({port}) => port), ...own.map(({port}) => port)]
  return [...new Set(ports)].flatMap((port): PublicEndpoint[] => {
    const choice = own.find((candidate) => candidate.port === port)
    if (choice === undefined || choice.mode === 'port') return []
    if (choice.mode === 'custom') return [{port, domain: null, customDomain: normalizeHostname(choice.customDomain ?? ''), domainType: 'custom'}]
    const suffix = declared.find((route) => route.port === port)?.slugSuffix
    const label = choice.domain === undefined || choice.domain.trim() === '' ? defaultRouteLabel(slug, service.name, suffix) : normalizeLabel(choice.domain)
    return [{port, domain: label, customDomain: null, domainType: 'free'}]
  })
}

function normalizeHostname(text: string): string {
  return text.trim().toLowerCase().replace(/^https?:\/\//, '').replace(/\/+$/, '')
}

function checkHostname(index: number, text: string | undefined): void {
  const hostname = normalizeHostname(text ?? '')
  if (hostname === '') throw refuse(index, 'customDomain', 'enter the domain, or choose port')
  const labels = hostname.split('.')
  const isHostname = hostname.length <= 253 && labels.length >= 2 && labels.every((label) => /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(label))
  const isAddress = /^\d+(\.\d+){3}$/.test(hostname)
  if (!isHostname || isAddress) throw refuse(index, 'customDomain', `"${hostname}" is not a domain; write it without scheme, port or path`)
}

function refuse(index: number, field: string, message: string): Fault {
  return new Fault('VALIDATION_ERROR', message, {errors: [{path: `/routes/${index}/${field}`, message}]})
}
