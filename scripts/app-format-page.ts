import type {Json, JsonObject} from '../daemon/http/openapi-schemas.js'
import {rules} from '../src/catalog/lint/rules.js'
import {schemaAt} from './app-schema.js'
import {objectAt, tableCell, typeText} from './schema-table.js'

/** Places whose keys get a table of their own, in the order of the page. */
const places: readonly (readonly [place: string, title: string])[] = [
  ['', 'Top level'],
  ['minResources', 'minResources'],
  ['marketplace', 'marketplace'],
  ['marketplace.features[]', 'marketplace.features'],
  ['installLayout', 'installLayout'],
  ['management', 'management'],
  ['services[]', 'services'],
  ['services[].routes[]', 'services.routes'],
  ['services[].healthcheck', 'services.healthcheck'],
  ['services[].build', 'services.build'],
  ['services[].build.files[]', 'services.build.files'],
  ['services[].files[]', 'services.files'],
  ['services[].resources', 'services.resources'],
  ['configFields[]', 'configFields'],
  ['settings[]', 'settings'],
  ['settings[].fields[]', 'settings.fields'],
  ['settings[].fields[].options[]', 'settings.fields.options'],
  ['settings[].fields[].showIf', 'settings.fields.showIf'],
  ['connection', 'connection'],
  ['connection.outputs[]', 'connection.outputs'],
  ['connection.outputs[].variants[]', 'connection.outputs.variants'],
  ['connection.guide', 'connection.guide'],
  ['connection.firstLogin', 'connection.firstLogin'],
  ['prepare[]', 'prepare'],
  ['prepare[].persistAs', 'prepare.persistAs'],
  ['prepare[].readiness', 'prepare.readiness'],
  ['endpoints[]', 'endpoints'],
  ['files[]', 'files'],
  ['provides[]', 'provides'],
  ['requires[]', 'requires'],
]

const introduction = `# The format of app definitions

Made from the schema and the rules of the linter by \`npm run generate\`; do not edit. [catalog.md](catalog.md) is the guide.

A definition is one JSON object in a file named after its id. Keys that a release does not know are left out when it loads the file; \`apps validate\`
names them. \`localized\` is a text, or a map from locale code to text with \`en\` as the fallback.
`

/** The text of docs/app-format.md. */
export function renderAppFormat(schema: JsonObject): string {
  const titles = new Map(places.map(([place, title]) => [place, title]))
  const sections = places.map(([place, title]) => `## ${title}\n\n${renderPlace(schema, place, titles)}\n`)
  return [introduction, ...sections, renderRules()].join('\n')
}

function renderPlace(schema: JsonObject, place: string, titles: ReadonlyMap<string, string>): string {
  const at = schemaAt(schema, place)
  const required = Array.isArray(at['required']) ? at['required'] : []
  const rows = Object.entries(objectAt(at, 'properties')).map(([key, value]) => {
    const field = asObject(value)
    const inner = place === '' ? key : `${place}.${key}`
    const meaning = typeof field['description'] === 'string' ? field['description'] : ''
    return `| \`${key}\` | ${typeOf(field, inner, titles)} | ${required.includes(key) ? 'yes' : 'no'} | ${tableCell(meaning)}${exampleOf(field)} |`
  })
  return ['| key | type | required | meaning |', '| --- | --- | --- | --- |', ...rows].join('\n')
}

function typeOf(field: JsonObject, place: string, titles: ReadonlyMap<string, string>): string {
  const own = titles.get(place)
  if (own !== undefined) return link('object', own)
  const item = titles.get(`${place}[]`)
  if (item !== undefined) return `list of ${link('objects', item)}`
  if (isLocalized(field)) return 'localized'
  return typeText(field, (name) => name)
}

// GitHub drops the dots of a heading from its address.
const link = (text: string, title: string) => `[${text}](#${title.toLowerCase().replaceAll('.', '').replaceAll(' ', '-')})`

function isLocalized({anyOf}: JsonObject): boolean {
  return Array.isArray(anyOf) && anyOf.some((choice) => asObject(choice)['additionalProperties'] !== undefined)
}

// Examples of whole objects belong into editors: a cell has no room for them.
function exampleOf({examples}: JsonObject): string {
  const texts = Array.isArray(examples) ? examples.filter((example) => typeof example === 'string' || typeof example === 'number') : []
  return texts.length === 0 ? '' : `; such as ${texts.map((example) => `\`${String(example).replaceAll('|', '\\|')}\``).join(', ')}`
}

function renderRules(): string {
  const rows = rules.map(({id, severity, meaning, why}) => `| \`${id}\` | ${severity} | ${tableCell(meaning)} | ${tableCell(why)} |`)
  return [
    '## Rules',
    '',
    'What `apps validate` looks for. An error is what the server refuses or what can not run; `moorage apps rules ID` shows a bad and a good example.',
    '',
    '| rule | severity | finds | why |',
    '| --- | --- | --- | --- |',
    ...rows,
    '',
  ].join('\n')
}

function asObject(value: Json): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {}
}
