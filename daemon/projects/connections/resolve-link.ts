import {endpointsOf} from '../../../src/catalog/endpoints.js'
import {toInternalValue, type InternalValue} from '../../../src/catalog/internal-value.js'
import {Fault} from '../../../src/contract/faults.js'
import {findServerPlace} from '../../servers/server-address.js'
import {definitionOf} from '../app-definition.js'
import {servedOn} from '../live/project-place.js'
import type {ProjectRecord} from '../records.js'
import {servicesOf} from '../service-handlers.js'
import {serviceBehind} from './internal-outputs.js'
import {findDeclared, readCard, standIn, type CardOutput} from './read-card.js'
import type {PortParts} from './published-ports.js'
import type {LinkRecord} from './records.js'

export type LinkMode = LinkRecord['mode']

/** A value as it is handed over now. */
export interface LinkValue {
  readonly mode: LinkMode
  readonly value: string
  /** Where it leads by a name on the network that both share; null where it needs none. */
  readonly reach: {readonly service: string; readonly host: string} | null
}

export interface LinkWish {
  readonly source: ProjectRecord
  readonly target: ProjectRecord
  readonly outputId: string
  /** Chosen by where both run unless given. */
  readonly mode: LinkMode | undefined
  readonly signal: AbortSignal
}

export function refuseConnection(reason: string, message: string): Fault {
  return new Fault('CONNECTION_REFUSED', message, {details: {reason}})
}

/** The value of an output for another project, or CONNECTION_REFUSED with the reason. An internal mode that nobody asked for gives way to the public one. */
export async function resolveLink(parts: PortParts, wish: LinkWish): Promise<LinkValue> {
  const {source, outputId, signal} = wish
  const [outside, within] = await Promise.all((['others', 'within'] as const).map((reader) => readCard(parts, source, {reader, signal})))
  const output = outside?.outputs.find(({id}) => id === outputId)
  const inner = within?.outputs.find(({id}) => id === outputId)
  if (output === undefined || inner === undefined) {
    const known = (outside?.outputs ?? []).map(({id}) => id)
    throw refuseConnection('output-unknown', `${source.name} has no output ${outputId}${known.length === 0 ? '' : `; it has ${known.join(', ')}`}`)
  }
  const mode = wish.mode ?? defaultMode(source, output)
  if (mode === 'public') return toPublic(source, output)
  const internal = await toInternal(parts, wish, inner)
  if (internal.kind !== 'impossible') return internal.link
  if (wish.mode === undefined && output.internal !== true) return toPublic(source, output)
  throw refuseConnection('internal-impossible', `${outputId} of ${source.name} can not be used internally: ${internal.reason}`)
}

function defaultMode(source: ProjectRecord, output: CardOutput): LinkMode {
  if (output.internal === true) return 'internal'
  const definition = definitionOf(source)
  const scopes = definition === undefined ? [] : endpointsOf(definition).filter(({service}) => service === output.service).map(({scope}) => scope)
  return scopes.includes('internal') ? 'internal' : 'public'
}

function toPublic(source: ProjectRecord, {id, value, internal}: CardOutput): LinkValue {
  if (internal === true) throw refuseConnection('value-missing', `${id} of ${source.name} has no public address; use mode internal`)
  if (value === '') throw refuseConnection('value-missing', `${id} of ${source.name} has no value that others can use yet`)
  return {mode: 'public', value, reach: null}
}

type Internal = {readonly kind: 'possible'; readonly link: LinkValue} | {readonly kind: 'impossible'; readonly reason: string}

async function toInternal(parts: PortParts, {source, target}: LinkWish, output: CardOutput): Promise<Internal> {
  if (output.value === '') throw refuseConnection('value-missing', `${output.id} of ${source.name} has no value yet`)
  const found = await rewrite(parts, source, output)
  if (found.kind === 'impossible') return found
  if (found.value.includes(standIn)) throw refuseConnection('value-missing', `${output.id} of ${source.name} has no value yet: its server has no address that others use`)
  if (found.kind === 'verbatim') return {kind: 'possible', link: {mode: 'internal', value: found.value, reach: null}}
  const [here, there] = [await findServerPlace(parts.store, target.serverId), await findServerPlace(parts.store, await servedOn(parts.store, source))]
  if (here === undefined || here.id !== there?.id) return {kind: 'impossible', reason: `${source.name} and ${target.name} are not on the same server`}
  const {host, service} = found
  const taken = (await servicesOf(parts.store, target.id)).some(({name, advanced}) => name === host || advanced['alias'] === host)
  if (taken) return {kind: 'impossible', reason: `${target.name} has a service named ${host} itself`}
  return {kind: 'possible', link: {mode: 'internal', value: found.value, reach: {service, host}}}
}

type Rewritten = Exclude<InternalValue, {readonly kind: 'internal'}> | {readonly kind: 'internal'; readonly value: string; readonly service: string; readonly host: string}

async function rewrite({store}: PortParts, source: ProjectRecord, output: CardOutput): Promise<Rewritten> {
  if (output.internal === true) {
    const service = serviceBehind(source, await servicesOf(store, source.id), output.id)
    return service === undefined ? {kind: 'impossible', reason: 'its service is gone'} : {kind: 'internal', value: output.value, service, host: output.id}
  }
  const definition = definitionOf(source)
  const declared = findDeclared(definition, output.id)
  if (definition === undefined || declared === undefined) return {kind: 'impossible', reason: 'it is not declared'}
  const found = toInternalValue(output.value, declared, definition)
  return found.kind === 'internal' ? {...found, host: found.service} : found
}
