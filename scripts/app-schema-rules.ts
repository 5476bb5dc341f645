import type {JsonObject} from '../daemon/http/openapi-schemas.js'

// What an editor can say beyond the types: the forms that the gate and the linter hold texts and numbers to, by place in the definition.
// `[]` goes into a list.

const port = {type: 'integer', minimum: 1, maximum: 65_535}
const duration = {pattern: '^(?:\\d+(?:\\.\\d+)?|(?:\\d+(?:\\.\\d+)?(?:ns|us|µs|ms|s|m|h))+)$'}
const environmentKey = {pattern: '^[^=\\s]+$'}
const source = {pattern: '^(?:env:[^:\\n]+:[^:\\n]+|publicUrl:[^:\\n]+(?::\\d+)?|template:.*)$'}
const serviceName = {pattern: '^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$'}
const mountPath = {pattern: '^/(?!(?:.*/)?\\.\\.(?:/|$)).*[^/]$', examples: ['/etc/app/config.yml']}
const filled = {minLength: 1}
const unique = {uniqueItems: true}

export const appSchemaRules: Readonly<Record<string, JsonObject>> = {
  '': {allOf: [needs({kind: {const: 'flow'}}, ['flowHref']), needs({kind: {const: 'template'}, available: {const: true}}, ['services'])]},
  $schema: {examples: ['../app.schema.json']},
  schemaVersion: {type: 'integer', enum: [1]},
  id: {pattern: '^[a-z0-9]+(?:-[a-z0-9]+)*$', examples: ['paste-box']},
  name: {...filled, examples: ['Paste Box']},
  description: filled,
  logo: {...filled, examples: ['docker']},
  tags: unique,
  'tags[]': filled,
  framework: {examples: ['docker-compose']},
  minEngine: {pattern: '^\\d+\\.\\d+\\.\\d+$', examples: ['1.0.0']},
  updatedAt: {pattern: '^\\d{4}-\\d{2}-\\d{2}', examples: ['2030-01-31']},
  repository: {pattern: '^https?://[^\\s/:]+', examples: ['https://github.com/owner/name']},
  flowHref: {pattern: '^/(?![/\\\\])[^\\s\\\\]*$', examples: ['/apps/new/paste']},
  management: {if: {properties: {kind: {const: 'custom'}}}, then: {required: ['href'], properties: {href: true}}},
  marketplace: {not: {required: ['article', 'articleFile'], properties: {article: true, articleFile: true}}},
  'marketplace.articleFile': {pattern: '^articles/[a-z0-9][a-z0-9-]*\\.md$', examples: ['articles/paste-box.md']},
  'services[]': {
    oneOf: [
      {required: ['image'], properties: {image: true}},
      {required: ['build'], properties: {build: true}},
    ],
  },
  services: {examples: [[{name: 'web', image: 'nginx:1.29.0', exposed: true, exposedPort: 80}]]},
  'services[].name': {...serviceName, examples: ['web', 'db']},
  'services[].image': {...filled, examples: ['postgres:17.5-alpine']},
  'services[].build.files[].path': {pattern: '^[^/\\\\]'},
  'services[].ports[]': {
    pattern: '^(?:(?:(?:\\d{1,3}(?:\\.\\d{1,3}){3}|\\[[0-9a-fA-F:]+\\]):)?(?:\\d{1,5})?:)?\\d{1,5}(?:/(?:tcp|udp))?$',
    examples: ['8080:80', '0.0.0.0:2222:22', '5353:53/udp'],
  },
  'services[].exposedPort': {...port, examples: [80]},
  'services[].routes[].port': port,
  'services[].environment': {propertyNames: environmentKey, examples: [{DATABASE_URL: 'postgres://app:{{config:POSTGRES_PASSWORD}}@db:5432/app'}]},
  'services[].secretEnv': unique,
  'services[].volumes[]': {pattern: '^(?:[^:\\s]+:)?/[^:]*(?::[a-zA-Z,]+)?$', examples: ['data:/var/lib/app']},
  'services[].dependsOn': unique,
  'services[].healthcheck': {examples: [{test: ['CMD-SHELL', 'wget -q -O /dev/null http://127.0.0.1:80/ || exit 1'], interval: '10s', timeout: '5s', retries: 12}]},
  'services[].healthcheck.interval': duration,
  'services[].healthcheck.timeout': duration,
  'services[].healthcheck.startPeriod': duration,
  'services[].commandArgv': {examples: [['sh', '-c', 'exec app --port 80']]},
  'services[].stopGracePeriod': {...duration, examples: ['60s']},
  'services[].files[].path': mountPath,
  configFields: {examples: [[{key: 'POSTGRES_PASSWORD', service: 'db', label: 'Database password', generate: 'secret', secret: true}]]},
  'configFields[]': needs({generate: {const: 'jwt'}}, ['jwtSecretGroup', 'jwtRole']),
  'configFields[].key': {pattern: '^[A-Za-z_][A-Za-z0-9_]*$'},
  'settings[].fields[]': needs({type: {enum: ['select', 'radio', 'multiselect']}}, ['options']),
  'settings[].fields[].key': environmentKey,
  'settings[].fields[].step': {exclusiveMinimum: 0},
  'connection.outputs[].source': {...source, examples: ['publicUrl:web', 'env:db:POSTGRES_PASSWORD', 'template:postgres://app:{{env:db:POSTGRES_PASSWORD}}@db:5432/app']},
  'connection.outputs[].variants[].source': source,
  'prepare[].persistAs.key': environmentKey,
  'prepare[].readiness.interval': {type: 'integer', minimum: 0},
  'prepare[].readiness.retries': {type: 'integer', minimum: 0},
  'endpoints[].port': port,
  'endpoints[].allowedModes': unique,
  'files[].path': mountPath,
  'provides[].outputRefs': unique,
  'requires[].envKey': environmentKey,
}

/** Where the members have these values, others are required. */
function needs(members: JsonObject, required: string[]): JsonObject {
  return {if: {required: Object.keys(members), properties: members}, then: {required, properties: Object.fromEntries(required.map((key) => [key, true]))}}
}
