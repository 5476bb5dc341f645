import type {AppDefinition} from '../catalog/definition.js'
import {declaredRoutes, servedPorts} from '../catalog/endpoints.js'
import {Fault} from '../contract/faults.js'
import {parsePairs} from './pairs.js'

export interface CustomRoute {
  readonly service: string
  readonly port: number
  readonly mode: 'custom'
  readonly customDomain: string
}

/** Host names from flags: SERVICE=HOST takes the main port of a service, SERVICE:PORT=HOST another one. */
export function readRoutes({services = []}: Pick<AppDefinition, 'services'>, texts: readonly string[]): CustomRoute[] {
  return Object.entries(parsePairs(texts, '--domain')).map(([place, customDomain]) => {
    const [name = '', port] = place.split(':')
    const service = services.find((one) => one.name === name)
    if (service === undefined) throw new Fault('USAGE', `--domain: there is no service ${name}; there is ${services.map((one) => one.name).join(', ')}`, {details: {flag: '--domain'}})
    const main = service.exposedPort ?? declaredRoutes(service)[0]?.port ?? servedPorts(service)[0]
    const chosen = port === undefined ? main : Number(port)
    if (chosen === undefined || !Number.isInteger(chosen)) throw new Fault('USAGE', `--domain: say which port of ${name} is meant: ${name}:PORT=${customDomain}`, {details: {flag: '--domain'}})
    return {service: name, port: chosen, mode: 'custom' as const, customDomain}
  })
}
