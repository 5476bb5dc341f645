import {commonFaults, faultTable, type FaultCode} from '../src/contract/faults.js'
import type {RouteSpec} from '../src/contract/route.js'
import {codesOf, statusOf, type RouteTable} from '../daemon/http/openapi.js'
import type {Json, JsonObject} from '../daemon/http/openapi-schemas.js'
import {objectAt, renderFields, typeText} from './schema-table.js'

/** The pages of docs/api, by file name: one an area, and the list of them. */
export function renderApiPages(table: RouteTable, document: JsonObject): Map<string, string> {
  const pages = Object.entries(table).map(([area, routes]) => [`${area}.md`, renderArea(area, routes, document)] as const)
  return new Map([['README.md', renderIndex(table)], ...pages])
}

function renderIndex(table: RouteTable): string {
  const areas = Object.entries(table).map(([area, routes]) => {
    const rows = Object.entries(routes).map(([name, route]) => `| [\`${area}.${name}\`](${area}.md#${anchor(`${area}.${name}`)}) | \`${route.method} ${route.path}\` | ${route.summary} |`)
    return [`## ${area}`, '', '| operation | route | what it does |', '| --- | --- | --- |', ...rows, ''].join('\n')
  })
  return `${introduction}\n${areas.join('\n')}`
}

const introduction = `# API reference

Made from the table of routes by \`npm run generate\`; do not edit. The same table as an OpenAPI 3.1 document stands in
[openapi.json](openapi.json), and every daemon serves its own at \`/api/openapi.json\`.

- Send \`Authorization: Bearer <token>\` with every request, except to \`/api/health\` and \`/api/health/env\`.
- A failure is \`{"error": "<one line>", "code": "<CODE>"}\` with further members for some codes; [errors.md](../errors.md) lists them.
- Times are UTC, ISO 8601 with milliseconds. Unknown members of a request are refused with their path.
- Lists that can grow take \`limit\` and \`cursor\` and answer \`pageInfo\`.
- A stream is server-sent events and ends with \`complete\`; resume it with \`Last-Event-ID\`.
- A route that answers 101 is a WebSocket. The token goes into the header here too, never into the address; refusals are ordinary answers.
`

function renderArea(area: string, routes: Readonly<Record<string, RouteSpec>>, document: JsonObject): string {
  const used = new Set<string>()
  const link = (name: string) => {
    used.add(name)
    return `[${name}](#${anchor(name)})`
  }
  const operations = Object.entries(routes).map(([name, route]) => renderRoute(`${area}.${name}`, route, document, link))
  const records = renderRecords(used, document, link)
  const tail = records.length === 0 ? [] : ['## Records', '', ...records]
  return [`# API: ${area}`, '', 'Made by `npm run generate`; do not edit.', '', ...operations, ...tail].join('\n').trimEnd() + '\n'
}

function renderRoute(id: string, route: RouteSpec, document: JsonObject, link: (name: string) => string): string {
  const path = route.path.replace(/:(\w+)/g, '{$1}')
  const operation = objectAt(objectAt(objectAt(document, 'paths'), path), route.method.toLowerCase())
  const parts = [
    `## ${id}`,
    [route.path, ...(route.aliases ?? [])].map((one) => `\`${route.method} ${one}\``).join(' or '),
    sentence(route.summary) + (route.description === undefined ? '' : ` ${route.description}`),
    `Needs: ${needs(route)}.`,
    ...section(route.headers === undefined ? 'Query and path' : 'Query, path and headers', parameterTable(operation, link)),
    ...section('Body', route.streamsBody === true ? 'Bytes, read as they arrive.' : bodyOf(objectAt(operation, 'requestBody'), 'application/json', link)),
    ...section(`Answer ${statusOf(route)}`, answerOf(route, operation, link)),
    ownErrors(route),
  ]
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`
}

function section(title: string, text: string): string[] {
  return text === '' ? [] : [`**${title}**`, text]
}

function needs(route: RouteSpec): string {
  if (route.scope === 'public') return 'nothing'
  const scope = route.scope === 'authenticated' ? 'any credential' : `\`${route.scope}\``
  return `${scope}${route.instanceAdmin === true ? ' of an instance administrator' : ''}${route.mutates ? '; refused to read-only tokens' : ''}`
}

function parameterTable(operation: JsonObject, link: (name: string) => string): string {
  const parameters = (Array.isArray(operation['parameters']) ? operation['parameters'] : []).filter(isParameter)
  if (parameters.length === 0) return ''
  const rows = parameters.map((one) => {
    const schema = objectAt(one, 'schema')
    const fallback = schema['default'] === undefined ? '' : `; default \`${JSON.stringify(schema['default'])}\``
    return `| \`${String(one['name'])}\` | ${String(one['in'])} | ${typeText(schema, link)} | ${one['required'] === true ? 'yes' : 'no'} | ${String(one['description'] ?? '')}${fallback} |`
  })
  return ['| name | in | type | required | meaning |', '| --- | --- | --- | --- | --- |', ...rows].join('\n')
}

// The headers that routes share stand in the introduction.
function isParameter(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && value['$ref'] === undefined
}

function bodyOf(holder: JsonObject, type: string, link: (name: string) => string): string {
  const schema = objectAt(objectAt(objectAt(holder, 'content'), type), 'schema')
  return Object.keys(schema).length === 0 ? '' : renderFields(schema, link) || `${typeText(schema, link)}.`
}

function answerOf(route: RouteSpec, operation: JsonObject, link: (name: string) => string): string {
  const answer = objectAt(objectAt(operation, 'responses'), String(statusOf(route)))
  if (route.upgrade !== undefined) {
    const frames = objectAt(answer, 'x-text-frames')
    return `A WebSocket. Text frames of the caller are ${typeText(objectAt(frames, 'caller'), link)}, those of the daemon ${typeText(objectAt(frames, 'daemon'), link)}; binary frames are bytes.`
  }
  if (route.stream === 'bytes') return 'The bytes, as a download.'
  if (route.stream !== 'sse') return bodyOf(answer, 'application/json', link)
  const event = objectAt(objectAt(objectAt(answer, 'content'), 'text/event-stream'), 'x-event-data')
  return `A stream of events; the data of each is ${typeText(event, link)}.`
}

function ownErrors(route: RouteSpec): string {
  const common = new Set<FaultCode>(commonFaults)
  const own = codesOf(route).filter((code) => !common.has(code))
  return own.length === 0 ? '' : `Errors of its own: ${own.map((code) => `\`${code}\` (${faultTable[code].status})`).join(', ')}.`
}

function renderRecords(used: Set<string>, document: JsonObject, link: (name: string) => string): string[] {
  const schemas = objectAt(objectAt(document, 'components'), 'schemas')
  const texts = new Map<string, string>()
  // Records name further records, which the walk adds to `used` as it goes.
  for (const name of used) texts.set(name, `### ${name}\n\n${renderFields(objectAt(schemas, name), link) || `${typeText(objectAt(schemas, name), link)}.`}\n`)
  return [...texts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text)
}

const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
const anchor = (title: string) => title.toLowerCase().replaceAll('.', '')
