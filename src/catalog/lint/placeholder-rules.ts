import {declaredRoutes, parsePort} from '../endpoints.js'
import type {ConnectionOutput, Service} from '../definition.js'
import type {JsonPath} from '../json-tree.js'
import {parseOutputSource} from '../output-source.js'
import type {LintContext} from './lint-context.js'
import type {Problem, Rule} from './rule.js'
import type {PlacedPart, TextPlace} from './texts.js'

const web = {name: 'web', image: 'ghcr.io/example/paste:1.4.2', exposed: true, exposedPort: 8090}
const app = (environment: Record<string, string>, more: object = {}) => ({app: {services: [{...web, environment}], ...more}})
const field = {key: 'PASTE_NAME', service: 'web', label: 'Name', generate: 'secret', secret: true}

/** Placeholders in texts. */
export const placeholderRules: readonly Rule[] = [
  {
    id: 'config-ref-unknown', severity: 'warning', meaning: 'a {{config:KEY}} without such a config field',
    why: 'It becomes an empty text. Settings and environment keys do not count; it has to be a config field.',
    bad: app({GREETING: 'hi {{config:PASTE_NAME}}'}), good: {app: {services: [{...web, environment: {GREETING: 'hi {{config:PASTE_NAME}}'}, secretEnv: ['GREETING']}], configFields: [field]}},
    check: findUnknownFields,
  },
  {
    id: 'publicurl-ref-unknown', severity: 'warning', meaning: 'a {{publicUrl:…}} of a service or port that nobody serves',
    why: 'It has no value: the variable is left unset, the output stays empty. The port is a route, or the container side of a mapping.',
    bad: app({SITE_URL: '{{publicUrl:web:9000}}'}), good: app({SITE_URL: '{{publicUrl:web:8090}}'}),
    check: (lint) => [...lint.parts.flatMap((part) => checkUrl(lint, part)), ...checkSources(lint)],
  },
  {
    id: 'placeholder-misplaced', severity: 'warning', meaning: 'a placeholder where it is not resolved',
    why: 'It stays as it is written. {{config:…}} works in environment, files, builds and template sources; {{publicUrl:…}} in environment, files and template sources; {{env:…}} and {{host}} in template sources only.',
    bad: app({DB_URL: 'postgres://{{env:web:DB_USER}}@db/'}), good: app({DB_URL: 'postgres://paste@db/'}),
    check: ({parts}) => parts.flatMap(checkPlace),
  },
  {
    id: 'placeholder-form', severity: 'warning', meaning: 'something that looks like a placeholder and is none',
    why: 'It is not resolved. The forms are {{config:KEY}}, {{publicUrl:service}}, {{publicUrl:service:port}}, {{env:service:KEY}} and {{host}}; they do not nest.',
    bad: app({SITE_URL: '{{publicUrl:web}'}), good: app({SITE_URL: '{{publicUrl:web}}'}),
    check: ({parts}) => parts.flatMap(checkForm),
  },
]

function at({part, path}: PlacedPart): Pick<Problem, 'path' | 'inside'> {
  return {path, inside: {offset: part.offset, length: part.text.trimEnd().length}}
}

function findUnknownFields({parts, findClosest, configFields, settingFields, isComplete}: LintContext): Problem[] {
  if (!isComplete('configFields')) return []
  const keys = new Set(configFields.map(({item}) => item.key))
  const settings = new Set(settingFields.map(({item}) => item.key))
  return parts.flatMap((placed) => {
    const {part, place} = placed
    if (part.kind !== 'config' || keys.has(part.key) || place === 'elsewhere') return []
    const closest = findClosest(part.key, keys)
    const advice = closest !== undefined ? `did you mean ${closest}?` : settings.has(part.key) ? 'a setting does not count' : 'add one'
    return [{...at(placed), message: `there is no config field ${part.key}, so this becomes an empty text; ${advice}`, suggestion: closest}]
  })
}

function checkUrl(lint: LintContext, placed: PlacedPart): Problem[] {
  const {part, place} = placed
  if (part.kind !== 'publicUrl' || place === 'elsewhere' || place === 'build') return []
  const fault = urlFault(lint, part.service, part.port)
  return fault === undefined ? [] : [{...at(placed), ...fault}]
}

function urlFault({serviceNames, findClosest, findService, isComplete}: LintContext, name: string, port: number | undefined): {message: string; suggestion?: string | undefined} | undefined {
  if (!isComplete('services.*.name', 'services.*.routes', 'services.*.exposedPort', 'services.*.ports')) return undefined
  const service = findService(name)
  if (service === undefined) {
    const closest = findClosest(name, serviceNames)
    return {message: `there is no service ${name}${closest === undefined ? '' : `; did you mean ${closest}?`}`, suggestion: closest}
  }
  const ports = portsWithUrl(service)
  if (ports.length === 0) return {message: `${name} has no address: it neither exposes nor publishes a port`}
  return port === undefined || ports.includes(port) ? undefined : {message: `${name} does not serve port ${port}; it serves ${ports.join(', ')}`}
}

// Also by the port of the host, which is how such an address is looked up.
function portsWithUrl(service: Service): number[] {
  const mapped = (service.ports ?? []).flatMap((text) => {
    const port = parsePort(text)
    return port?.hostPort == null ? [] : [port.containerPort, port.hostPort]
  })
  return [...new Set([...declaredRoutes(service).map(({port}) => port), ...mapped])]
}

// That the service is there is asked by the gate.
function checkSources(lint: LintContext): Problem[] {
  const sources = (lint.definition.connection?.outputs ?? []).flatMap((output, index) => sourcesOf(output, ['connection', 'outputs', index]))
  return sources.flatMap(({source, path}) => {
    const read = parseOutputSource(source)
    if (read?.kind !== 'publicUrl' || lint.findService(read.service) === undefined) return []
    const fault = urlFault(lint, read.service, read.port)
    return fault === undefined ? [] : [{path, ...fault}]
  })
}

/** The source of an output and those of its variants. */
export function sourcesOf({source, variants = []}: ConnectionOutput, path: JsonPath): {source: string; path: JsonPath}[] {
  return [{source, path: [...path, 'source']}, ...variants.map((variant, index) => ({source: variant.source, path: [...path, 'variants', index, 'source']}))]
}

const resolvedIn: Readonly<Record<'config' | 'publicUrl' | 'env' | 'host', readonly TextPlace[]>> = {
  config: ['environment', 'file', 'build', 'template'],
  publicUrl: ['environment', 'file', 'template'],
  env: ['template'],
  host: ['template'],
}

const placeNames: Readonly<Record<TextPlace, string>> = {environment: 'the environment', file: 'files', build: 'a build', template: 'template sources', elsewhere: 'this text'}

function checkPlace(placed: PlacedPart): Problem[] {
  const {part, place} = placed
  if (part.kind === 'text' || part.kind === 'foreign' || part.kind === 'malformed') return []
  const places = resolvedIn[part.kind]
  if (places.includes(place)) return []
  const works = places.length === 1 ? placeNames.template : `${places.slice(0, -1).map((name) => placeNames[name]).join(', ')} and ${placeNames.template}`
  return [{...at(placed), message: `${part.text} is not resolved in ${placeNames[place]}; it works in ${works} only`}]
}

const forms = {config: '{{config:KEY}} with letters, digits and underscores', publicUrl: '{{publicUrl:service}} or {{publicUrl:service:port}}', env: '{{env:service:KEY}}', host: '{{host}}'} as const

function checkForm(placed: PlacedPart): Problem[] {
  const {part, place} = placed
  if (part.kind === 'malformed') {
    const reason = {unclosed: 'this placeholder is not closed', nested: 'a placeholder can not stand inside another', form: `${part.text} is no placeholder`}[part.reason]
    return [{...at(placed), message: `${reason}; write ${forms[part.meant]}`}]
  }
  if (part.kind !== 'foreign') return []
  // Others have braces too, such as workflow tools; one word and a colon is how ours look.
  const isOurs = /^\{\{\s*[A-Za-z]+:[^\s{}'"$]*\s*\}\}$/.test(part.text) && place !== 'elsewhere'
  if (!isOurs && place !== 'template') return []
  return [{...at(placed), message: `${part.text} is no placeholder that is known${place === 'template' ? ', and what stays in braces empties the output' : ''}; there are config, publicUrl, env and host`}]
}
