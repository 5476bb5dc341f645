import {parsePort, type PortMapping} from '../endpoints.js'
import {fieldsOf, isFields, listOf, pairsOf, scalarText, type Fields} from './compose-value.js'
import type {ComposeService} from './compose-services.js'
import {plainText, type ImportContext} from './import-context.js'

export interface ServicePorts {
  /** In the short form. */
  readonly ports: readonly string[]
  readonly mappings: readonly PortMapping[]
  /** Container ports that a browser would open, the main one first. */
  readonly web: readonly number[]
  /** Container ports that other programs open. */
  readonly raw: readonly number[]
}

// Ports on which by convention something else than HTTP is spoken.
const rawPorts = new Set([
  20, 21, 22, 23, 25, 53, 69, 110, 111, 123, 137, 138, 139, 143, 161, 162, 389, 445, 465, 514, 587, 636, 853, 873, 989, 990, 993, 995, 1194, 1433, 1521, 1723, 1883, 1935, 2049, 2181, 2375, 2376,
  2379, 2525, 3306, 3389, 3478, 4190, 4222, 5222, 5269, 5349, 5432, 5433, 5671, 5672, 5900, 6379, 6432, 6667, 6697, 7687, 8883, 9042, 9092, 10_000, 11_211, 27_017, 33_060, 50_000, 51_820, 61_613, 61_616,
])

const longestRange = 50

/** The ports of a service, and which of them are for browsers: published ones, else the one that a proxy is told by a label. */
export function readPorts({name, fields}: ComposeService, context: ImportContext): ServicePorts {
  const place = {service: name, key: 'ports'}
  const texts = listOf(fields['ports']).flatMap((entry) => shortForms(entry, name, context))
  const read = texts.map((text) => ({text, mapping: parsePort(text)}))
  for (const {text} of read.filter(({mapping}) => mapping === undefined)) {
    context.notes.add({level: 'lost', ...place, why: `${text} is no port mapping that a definition can hold`, todo: 'write HOST:CONTAINER, with /udp where needed'})
  }
  const good = read.flatMap(({text, mapping}) => (mapping === undefined ? [] : [{text, mapping}]))
  const isWeb = ({containerPort, protocol}: PortMapping) => protocol === 'tcp' && !rawPorts.has(containerPort)
  const mappings = good.map(({mapping}) => mapping)
  const published = unique(mappings.filter(isWeb).map(({containerPort}) => containerPort))
  const raw = unique(mappings.filter((mapping) => !isWeb(mapping)).map(({containerPort}) => containerPort))
  return {ports: unique(good.map(({text}) => text)), mappings, web: published.length > 0 ? published : labelledPorts(fields), raw}
}

function shortForms(entry: unknown, service: string, context: ImportContext): string[] {
  const at = {service, key: 'ports'}
  const read = isFields(entry) ? longForm(entry, (value) => plainText(value, at, context)) : plainText(entry, at, context)
  // A host port that has no value leaves its colon behind.
  const text = read?.trim().replace(/^:+/, '')
  if (text === undefined || text === '') return []
  const range = /^(.*:)??(?:(\d+)-(\d+):)?(\d+)-(\d+)(\/\w+)?$/.exec(text)
  if (range === null) return [text]
  const [, before = '', hostFrom, , from, to, protocol = ''] = range
  const count = Number(to) - Number(from) + 1
  if (count < 1 || count > longestRange) return [text]
  return Array.from({length: count}, (_, index) => `${before}${hostFrom === undefined ? '' : `${Number(hostFrom) + index}:`}${Number(from) + index}${protocol}`)
}

function longForm(entry: Fields, read: (value: unknown) => string | undefined): string {
  const [target = '', published, address, protocol] = [read(entry['target']), read(entry['published']), read(entry['host_ip']), read(entry['protocol'])]
  const bracketed = address?.includes(':') === true ? `[${address}]` : address
  const host = published === undefined || published === '' ? '' : `${bracketed === undefined || bracketed === '' ? '' : `${bracketed}:`}${published}:`
  return `${host}${target}${protocol === undefined || protocol === 'tcp' ? '' : `/${protocol}`}`
}

// What proxies that read labels are told about the port of a service.
function labelledPorts(fields: Fields): number[] {
  const labels = [...pairsOf(fields['labels']), ...pairsOf(fieldsOf(fields['deploy'])['labels'])]
  const ports = labels.filter(([key]) => /loadbalancer\.server\.port$|^caddy.*upstreams/.test(key)).map(([, value]) => Number(/(\d{2,5})\D*$/.exec(value ?? '')?.[1]))
  const isProxied = labels.some(([key]) => /^(traefik|caddy)/.test(key))
  const inner = isProxied ? listOf(fields['expose']).map((port) => Number(scalarText(port))) : []
  return unique([...ports, ...inner].filter((port) => Number.isInteger(port) && port > 0 && port < 65_536)).slice(0, 1)
}

function unique<T>(values: readonly T[]): T[] {
  return [...new Set(values)]
}
