import {z} from 'zod'

// The format of an app definition, key by key. Objects strip what they do not know, so that a newer definition loads on an older release;
// the linter reads the same schemas to name what was stripped.

export const categories = ['backend', 'database', 'cms', 'mail', 'analytics', 'automation', 'other'] as const
export const Category = z.enum(categories)
export type Category = z.output<typeof Category>

/** A text, or a map from locale code to text. */
export const Localized = z.union([z.string(), z.record(z.string(), z.string())]).describe('a text, or a map from locale code to text')
export type Localized = z.output<typeof Localized>

const serviceName = z.string().describe('name of a declared service')
const argv = z.array(z.string().max(2000)).max(100)
const duration = z.string().max(32).describe('a duration such as 5s, 1m30s or 500ms; a bare number is seconds')
const columns = z.union([z.literal(1), z.literal(2)])

export const BuildFile = z.object({
  path: z.string().min(1).describe('relative to the folder of the service'),
  content: z.string().describe('may hold {{config:KEY}}'),
})

export const Build = z.object({
  dockerfile: z.string().min(1).describe('text of the Dockerfile; COPY sources start with <service-name>/; may hold {{config:KEY}}'),
  files: z.array(BuildFile).optional(),
})

export const Healthcheck = z.object({
  test: z.union([z.string().max(2000), z.array(z.string().max(500)).max(50)]).optional().describe('a shell command, or a list that starts with CMD, CMD-SHELL or NONE'),
  interval: duration.optional(),
  timeout: duration.optional(),
  startPeriod: duration.optional(),
  retries: z.int().min(0).max(100).optional(),
  disable: z.boolean().optional(),
})
export type Healthcheck = z.output<typeof Healthcheck>

export const ServiceResources = z.object({
  profile: z.enum(['micro', 'low', 'medium', 'high', 'xlarge']).optional(),
  memoryMb: z.number().positive().optional(),
  cpuCores: z.number().positive().optional(),
})

export const ServiceFile = z.object({
  path: z.string().min(1).describe('absolute path inside the container'),
  content: z.string().describe('may hold {{config:KEY}} and {{publicUrl:service}}'),
})

export const Service = z.object({
  name: z.string().min(1).max(120).describe('host name of the service on the network of the project'),
  image: z.string().max(500).optional().describe('image reference, pinned to a version; exactly one of image and build'),
  build: Build.optional().describe('a build context written here; exactly one of image and build'),
  ports: z.array(z.string().max(100)).max(50).optional().describe('HOST:CONTAINER, IP:HOST:CONTAINER or CONTAINER, each with /tcp or /udp where needed'),
  exposedPort: z.number().optional().describe('container port that carries the main public route'),
  exposed: z.boolean().optional().describe('offers public routes'),
  routes: z.array(z.object({port: z.number(), slugSuffix: z.string().optional()})).optional().describe('public container ports, one host name each'),
  environment: z.record(z.string(), z.string()).optional().describe('values may hold {{config:KEY}} and {{publicUrl:service}}'),
  secretEnv: z.array(z.string()).optional().describe('keys of the environment that are secrets'),
  volumes: z.array(z.string().max(500)).max(50).optional().describe('NAME:/path; names are scoped to the project'),
  dependsOn: z.array(z.string()).optional().describe('services that start first'),
  healthcheck: Healthcheck.optional(),
  restart: z.enum(['no', 'always', 'on-failure', 'unless-stopped']).optional(),
  command: z.string().max(1000).optional().describe('split into words, never run by a shell; commandArgv says the same without guessing'),
  commandArgv: argv.optional().describe('exact command of the container; [] clears that of the image; needs minEngine 0.6.6'),
  entrypointArgv: argv.optional().describe('exact entrypoint; [] clears that of the image; needs minEngine 0.9.2'),
  stopGracePeriod: duration.optional().describe('time to stop before the container is killed; needs minEngine 0.6.6'),
  files: z.array(ServiceFile).optional().describe('files mounted into this service, as files at the top with its name; needs minEngine 1.0.0'),
  resources: ServiceResources.optional().describe('advice for people; never a limit; needs minEngine 1.0.0'),
})
export type Service = z.output<typeof Service>

export const ConfigField = z.object({
  key: z.string().describe('environment key it is written to'),
  service: serviceName,
  label: z.string(),
  help: z.string().optional(),
  type: z.enum(['text', 'password']).optional(),
  default: z.string().optional(),
  generate: z.enum(['secret', 'jwt']).optional(),
  generateGroup: z.string().optional().describe('fields of one group get the same secret'),
  jwtSecretGroup: z.string().optional().describe('the group that holds the signing secret'),
  jwtRole: z.string().optional().describe('the role claim'),
  required: z.boolean().optional(),
  secret: z.boolean().optional(),
})
export type ConfigField = z.output<typeof ConfigField>

export const SettingField = z.object({
  key: z.string().describe('environment key of the service'),
  service: serviceName,
  label: z.string(),
  type: z.enum(['text', 'password', 'boolean', 'select', 'number', 'multiselect', 'radio', 'textarea']),
  help: z.string().optional(),
  placeholder: z.string().optional(),
  options: z.array(z.object({value: z.string(), label: z.string()})).optional(),
  separator: z.string().optional(),
  min: z.number().optional(),
  max: z.number().optional(),
  step: z.number().optional(),
  integer: z.boolean().optional(),
  pattern: z.string().optional().describe('regular expression; anchor it with ^ and $'),
  patternError: z.string().optional(),
  default: z.string().optional(),
  secret: z.boolean().optional(),
  trueValue: z.string().optional(),
  falseValue: z.string().optional(),
  requiresRedeploy: z.boolean().optional(),
  advanced: z.boolean().optional(),
  installStep: z.boolean().optional().describe('asked at the install, too'),
  required: z.boolean().optional(),
  showIf: z
    .object({
      field: z.string(),
      service: z.string().optional(),
      equals: z.union([z.string(), z.array(z.string())]).optional(),
      truthy: z.boolean().optional(),
    })
    .optional(),
  columns: columns.optional(),
  fullWidth: z.boolean().optional(),
})
export type SettingField = z.output<typeof SettingField>

export const SettingGroup = z.object({
  id: z.string(),
  label: z.string(),
  description: z.string().optional(),
  columns: columns.optional(),
  fields: z.array(SettingField),
})
export type SettingGroup = z.output<typeof SettingGroup>

const source = z.string().describe('env:service:KEY, publicUrl:service[:port] or template:text')

export const ConnectionOutput = z.object({
  id: z.string(),
  label: z.string(),
  source,
  help: z.string().optional(),
  secret: z.boolean().optional(),
  envKey: z.string().optional().describe('suggested environment key in a project that uses it'),
  service: z.string().optional().describe('the service it belongs to; needed for template sources'),
  recommended: z.boolean().optional(),
  sourceLabel: Localized.optional(),
  variants: z.array(z.object({id: z.string(), label: Localized, source})).optional(),
  width: z.enum(['full', 'half']).optional(),
  kind: z.enum(['text', 'url']).optional(),
})
export type ConnectionOutput = z.output<typeof ConnectionOutput>

export const Connection = z.object({
  title: z.string().optional(),
  description: z.string().optional(),
  outputs: z.array(ConnectionOutput),
  guide: z
    .object({intro: Localized.optional(), useHint: Localized.optional(), defaultMode: z.enum(['internal', 'public']).optional()})
    .optional(),
  firstLogin: z.object({username: Localized.optional(), password: Localized.optional(), note: Localized.optional()}).optional(),
})
export type Connection = z.output<typeof Connection>

export const PrepareStep = z.object({
  service: serviceName,
  command: z.string().describe('run by sh -c inside the container; must be safe to run again'),
  capture: z.string().describe('name of what the command prints'),
  capturePattern: z.string().optional().describe('regular expression; its first group is the value'),
  persistAs: z.object({key: z.string(), secret: z.boolean().optional()}).optional(),
  once: z.boolean().optional().describe('skipped when persistAs.key has a value already'),
  phase: z.enum(['pre-deploy', 'post-start', 'post-ready']).optional(),
  mustSucceed: z.boolean().optional(),
  readiness: z.object({test: z.string(), interval: z.number().optional().describe('milliseconds'), retries: z.number().optional()}).optional(),
  title: Localized.optional(),
  description: Localized.optional(),
  icon: z.string().optional(),
})
export type PrepareStep = z.output<typeof PrepareStep>

const EndpointMode = z.enum(['domain', 'port', 'publish', 'internal'])

export const Endpoint = z.object({
  service: serviceName,
  port: z.number(),
  label: z.string(),
  kind: z.enum(['http', 'tcp']),
  required: z.boolean().optional(),
  scope: z.enum(['public', 'internal', 'local']).optional(),
  defaultMode: EndpointMode.optional(),
  allowedModes: z.array(EndpointMode).optional(),
})
export type Endpoint = z.output<typeof Endpoint>

export const Management = z.discriminatedUnion('kind', [z.object({kind: z.literal('schema')}), z.object({kind: z.literal('custom'), href: z.string()})])
export type Management = z.output<typeof Management>

export const Marketplace = z.object({
  features: z.array(z.object({title: z.string().min(1).max(80), description: z.string().optional()})).max(12).optional(),
  articleFile: z.string().optional().describe('articles/<slug>.md'),
  article: z.string().optional().describe('inline Markdown; give this or articleFile'),
})

export const InstallLayout = z.object({settings: z.enum(['split', 'single', 'grouped'])})

export const MinResources = z.object({memoryMb: z.number().positive().optional(), cpuCores: z.number().positive().optional()})
export type MinResources = z.output<typeof MinResources>

export const AppDefinition = z.object({
  $schema: z.string().optional(),
  schemaVersion: z.number().optional(),
  id: z.string().min(1).max(100).describe('kebab-case, the same as the file name'),
  name: z.string(),
  description: z.string(),
  kind: z.enum(['template', 'flow']),
  logo: z.string(),
  category: Category,
  tags: z.array(z.string()).optional(),
  framework: z.string().optional(),
  available: z.boolean().optional().describe('coming soon unless true'),
  unlisted: z.boolean().optional(),
  verified: z.boolean().optional(),
  hosting: z.enum(['self-hosted', 'experimental']).optional(),
  minEngine: z.string().optional().describe('X.Y.Z, the oldest release that runs this'),
  updatedAt: z.string().optional(),
  repository: z.url().optional(),
  flowHref: z.string().optional().describe('for kind flow: a route starting with /'),
  minResources: MinResources.optional(),
  marketplace: Marketplace.optional(),
  installLayout: InstallLayout.optional(),
  management: Management.optional(),
  services: z.array(Service).optional(),
  configFields: z.array(ConfigField).optional(),
  settings: z.array(SettingGroup).optional(),
  prepare: z.array(PrepareStep).optional(),
  connection: Connection.optional(),
  endpoints: z.array(Endpoint).optional(),
  files: z.array(ServiceFile.extend({service: serviceName})).optional(),
  provides: z.array(z.object({id: z.string(), outputRefs: z.array(z.string()), category: z.string().optional()})).optional(),
  requires: z
    .array(
      z.object({
        id: z.string(),
        label: Localized,
        envKey: z.string(),
        category: z.string().optional(),
        mode: z.enum(['internal', 'public']).optional(),
        optional: z.boolean().optional(),
      }),
    )
    .optional(),
})
export type AppDefinition = z.output<typeof AppDefinition>

/** The file entries of a definition in one form: those at the top, then those of each service. */
export function filesOf(definition: Pick<AppDefinition, 'files' | 'services'>): {readonly service: string; readonly path: string; readonly content: string}[] {
  const own = (definition.services ?? []).flatMap(({name, files = []}) => files.map((file) => ({service: name, ...file})))
  return [...(definition.files ?? []), ...own]
}
