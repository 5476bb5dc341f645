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
  content: z.string().describe('text of the file; may hold {{config:KEY}}'),
})

export const Build = z.object({
  dockerfile: z.string().min(1).describe('text of the Dockerfile; COPY sources start with <service-name>/; may hold {{config:KEY}}'),
  files: z.array(BuildFile).optional().describe('further files of the build context'),
})

export const Healthcheck = z.object({
  test: z.union([z.string().max(2000), z.array(z.string().max(500)).max(50)]).optional().describe('a shell command, or a list that starts with CMD, CMD-SHELL or NONE'),
  interval: duration.optional().describe('time between two checks, such as 10s; 30s unless given'),
  timeout: duration.optional().describe('longest time one check may take; 30s unless given'),
  startPeriod: duration.optional().describe('time after the start in which failures do not count; none unless given'),
  retries: z.int().min(0).max(100).optional().describe('failures in a row that make the container unhealthy; 3 unless given'),
  disable: z.boolean().optional().describe('turns off the check that the image brings; false unless given'),
})
export type Healthcheck = z.output<typeof Healthcheck>

export const ServiceResources = z.object({
  profile: z.enum(['micro', 'low', 'medium', 'high', 'xlarge']).optional().describe('rough size of the service'),
  memoryMb: z.number().positive().optional().describe('memory it is comfortable with, in MB'),
  cpuCores: z.number().positive().optional().describe('cores it is comfortable with; fractions are fine'),
})

export const ServiceFile = z.object({
  path: z.string().min(1).describe('absolute path inside the container'),
  content: z.string().describe('text of the file, mounted read-only; may hold {{config:KEY}} and {{publicUrl:service}}'),
})

const Route = z.object({
  port: z.number().describe('container port'),
  slugSuffix: z.string().optional().describe('added to the suggested host name, so that each route has its own'),
})

export const Service = z.object({
  name: z.string().min(1).max(120).describe('host name of the service on the network of the project'),
  image: z.string().max(500).optional().describe('image reference, pinned to a version; exactly one of image and build'),
  build: Build.optional().describe('a build context written here; exactly one of image and build'),
  ports: z.array(z.string().max(100)).max(50).optional().describe('HOST:CONTAINER, IP:HOST:CONTAINER or CONTAINER, each with /tcp or /udp where needed; loopback unless an IP is given'),
  exposedPort: z.number().optional().describe('container port that carries the main public route'),
  exposed: z.boolean().optional().describe('offers public routes; false unless given'),
  routes: z.array(Route).optional().describe('public container ports, one host name each; exposedPort unless given'),
  environment: z.record(z.string(), z.string()).optional().describe('values may hold {{config:KEY}} and {{publicUrl:service}}'),
  secretEnv: z.array(z.string()).optional().describe('keys of the environment that are secrets: sealed, and masked when shown'),
  volumes: z.array(z.string().max(500)).max(50).optional().describe('NAME:/path; names are scoped to the project'),
  dependsOn: z.array(z.string()).optional().describe('services that start first'),
  healthcheck: Healthcheck.optional().describe('how the engine knows that the service is ready; that of the image unless given'),
  restart: z.enum(['no', 'always', 'on-failure', 'unless-stopped']).optional().describe('when the container starts again by itself; unless-stopped unless given'),
  command: z.string().max(1000).optional().describe('split into words, never run by a shell; commandArgv says the same without guessing'),
  commandArgv: argv.optional().describe('exact command of the container; [] clears that of the image; needs minEngine 0.6.6'),
  entrypointArgv: argv.optional().describe('exact entrypoint; [] clears that of the image; needs minEngine 0.9.2'),
  stopGracePeriod: duration.optional().describe('time to stop before the container is killed; 10s unless given; needs minEngine 0.6.6'),
  files: z.array(ServiceFile).optional().describe('files mounted into this service, as files at the top with its name; needs minEngine 1.0.0'),
  resources: ServiceResources.optional().describe('advice for people; never a limit; needs minEngine 1.0.0'),
})
export type Service = z.output<typeof Service>

export const ConfigField = z.object({
  key: z.string().describe('environment key it is written to, and its name in {{config:KEY}}'),
  service: serviceName,
  label: z.string().describe('what people read'),
  help: z.string().optional().describe('a sentence or two below the label'),
  type: z.enum(['text', 'password']).optional().describe('how the value is asked where it is not generated; text unless given'),
  default: z.string().optional().describe('used where nothing is generated or given; empty unless given'),
  generate: z.enum(['secret', 'jwt']).optional().describe('secret: 64 random hexadecimal digits; jwt: a token signed with the secret of jwtSecretGroup'),
  generateGroup: z.string().optional().describe('fields of one group get the same secret'),
  jwtSecretGroup: z.string().optional().describe('for jwt: the group that holds the signing secret'),
  jwtRole: z.string().optional().describe('for jwt: the role claim; without it the token is empty'),
  required: z.boolean().optional().describe('an install without a value is refused; false unless given'),
  secret: z.boolean().optional().describe('stored as a secret and masked when read; false unless given'),
})
export type ConfigField = z.output<typeof ConfigField>

const SettingOption = z.object({value: z.string().describe('what the environment gets'), label: z.string().describe('what people read')})

const ShowIf = z.object({
  field: z.string().describe('key of the setting that decides'),
  service: z.string().optional().describe('service of that setting; that of this field unless given'),
  equals: z.union([z.string(), z.array(z.string())]).optional().describe('shown while the value is this, or one of these'),
  truthy: z.boolean().optional().describe('true: shown while the value is set and not false; false: the other way around; beats equals'),
})

export const SettingField = z.object({
  key: z.string().describe('environment key of the service'),
  service: serviceName,
  label: z.string().describe('what people read'),
  type: z.enum(['text', 'password', 'boolean', 'select', 'number', 'multiselect', 'radio', 'textarea']).describe('what is shown and how a value is checked'),
  help: z.string().optional().describe('a sentence or two below the field'),
  placeholder: z.string().optional().describe('shown in the empty field'),
  options: z.array(SettingOption).optional().describe('for select, radio and multiselect'),
  separator: z.string().optional().describe('between the values of a multiselect; a comma unless given'),
  min: z.number().optional().describe('for number: the least value'),
  max: z.number().optional().describe('for number: the greatest value'),
  step: z.number().optional().describe('for number: a hint for the field; 1 for whole numbers unless given'),
  integer: z.boolean().optional().describe('for number: whole numbers only; false unless given'),
  pattern: z.string().optional().describe('regular expression; anchor it with ^ and $'),
  patternError: z.string().optional().describe('said where the pattern does not match'),
  default: z.string().optional().describe('shown while nothing is set; written nowhere, so put the same value into environment'),
  secret: z.boolean().optional().describe('sealed, never sent back; saving it empty leaves it as it is; false unless given'),
  trueValue: z.string().optional().describe('for boolean: what the environment gets for on; true unless given'),
  falseValue: z.string().optional().describe('for boolean: what the environment gets for off; false unless given'),
  requiresRedeploy: z.boolean().optional().describe('a restart is not enough to apply it; false unless given'),
  advanced: z.boolean().optional().describe('shown in a section that is closed at first; false unless given'),
  installStep: z.boolean().optional().describe('asked at the install, too; false unless given'),
  required: z.boolean().optional().describe('may not be saved empty; false unless given'),
  showIf: ShowIf.optional().describe('shown only while another setting has a value'),
  columns: columns.optional().describe('columns it takes at the install; 1 unless given'),
  fullWidth: z.boolean().optional().describe('spans both columns; false unless given'),
})
export type SettingField = z.output<typeof SettingField>

export const SettingGroup = z.object({
  id: z.string().describe('stable name of the group'),
  label: z.string().describe('heading of the group'),
  description: z.string().optional().describe('a sentence below the heading'),
  columns: columns.optional().describe('columns of the form; 1 unless given'),
  fields: z.array(SettingField).describe('the settings, in the order in which they are shown'),
})
export type SettingGroup = z.output<typeof SettingGroup>

const source = z.string().describe('env:service:KEY, publicUrl:service[:port] or template:text, where the text may hold {{env:service:KEY}}, {{publicUrl:service}} and {{host}}')

const OutputVariant = z.object({
  id: z.string().describe('name of the variant, unique in its output'),
  label: Localized.describe('what people choose'),
  source,
})

export const ConnectionOutput = z.object({
  id: z.string().describe('name of the output, unique; provides refers to it'),
  label: z.string().describe('what people read'),
  source,
  help: z.string().optional().describe('a sentence below the value'),
  secret: z.boolean().optional().describe('masked until someone asks to see it; false unless given'),
  envKey: z.string().optional().describe('suggested environment key in a project that uses it'),
  service: z.string().optional().describe('the service it belongs to; needed for template sources'),
  recommended: z.boolean().optional().describe('chosen already where another project takes outputs over; false unless given'),
  sourceLabel: Localized.optional().describe('what the first value is called where there are variants'),
  variants: z.array(OutputVariant).optional().describe('other forms of the same value'),
  width: z.enum(['full', 'half']).optional().describe('two halves in a row share a line; full unless given'),
  kind: z.enum(['text', 'url']).optional().describe('url: can be opened; text unless given'),
})
export type ConnectionOutput = z.output<typeof ConnectionOutput>

const ConnectionGuide = z.object({
  intro: Localized.optional().describe('said before the values'),
  useHint: Localized.optional().describe('how a project uses them'),
  defaultMode: z.enum(['internal', 'public']).optional().describe('which addresses are shown first; internal unless given'),
})

const FirstLogin = z.object({
  username: Localized.optional().describe('fixed user name that the image ships'),
  password: Localized.optional().describe('fixed password that the image ships'),
  note: Localized.optional().describe('how the first person gets in'),
})

export const Connection = z.object({
  title: z.string().optional().describe('heading of the card'),
  description: z.string().optional().describe('text below the heading'),
  outputs: z.array(ConnectionOutput).describe('the values to show, in order; may be empty'),
  guide: ConnectionGuide.optional().describe('texts around the values'),
  firstLogin: FirstLogin.optional().describe('how to sign in for the first time; not resolved from services'),
})
export type Connection = z.output<typeof Connection>

const PersistAs = z.object({
  key: z.string().describe('environment key of the service that keeps the value'),
  secret: z.boolean().optional().describe('kept as a secret; false unless given'),
})

const Readiness = z.object({
  test: z.string().describe('shell command that ends with 0 once the service is ready'),
  interval: z.number().optional().describe('milliseconds between two tries; 3000 unless given'),
  retries: z.number().optional().describe('tries before it is given up; 10 unless given'),
})

export const PrepareStep = z.object({
  service: serviceName,
  command: z.string().describe('run by sh -c inside the container; must be safe to run again'),
  capture: z.string().describe('name of what the command prints'),
  capturePattern: z.string().optional().describe('regular expression; its first group is the value; all of the output unless given'),
  persistAs: PersistAs.optional().describe('keeps the value as an environment entry'),
  once: z.boolean().optional().describe('skipped when persistAs.key has a value already; false unless given'),
  phase: z.enum(['pre-deploy', 'post-start', 'post-ready']).optional().describe('post-start unless given; pre-deploy is skipped with a warning'),
  mustSucceed: z.boolean().optional().describe('its failure fails the deployment; false unless given'),
  readiness: Readiness.optional().describe('for post-ready: how to know that the service is ready'),
  title: Localized.optional().describe('name of the step'),
  description: Localized.optional().describe('what the step does'),
  icon: z.string().optional().describe('name of an icon, a hint'),
})
export type PrepareStep = z.output<typeof PrepareStep>

const EndpointMode = z.enum(['domain', 'port', 'publish', 'internal'])

export const Endpoint = z.object({
  service: serviceName,
  port: z.number().describe('container port'),
  label: z.string().describe('what people read'),
  kind: z.enum(['http', 'tcp']).describe('http can have a host name; tcp is a raw port'),
  required: z.boolean().optional().describe('preferred where other projects connect; true unless given'),
  scope: z.enum(['public', 'internal', 'local']).optional().describe('who should reach it'),
  defaultMode: EndpointMode.optional().describe('http: domain or port; tcp: publish or internal; port and publish unless given'),
  allowedModes: z.array(EndpointMode).optional().describe('modes to choose from; all of the kind unless given'),
})
export type Endpoint = z.output<typeof Endpoint>

export const Management = z.discriminatedUnion('kind', [
  z.object({kind: z.literal('schema').describe('schema: the form that settings describe')}),
  z.object({kind: z.literal('custom').describe('custom: a page of its own'), href: z.string().describe('route of that page')}),
])
export type Management = z.output<typeof Management>

const Feature = z.object({
  title: z.string().min(1).max(80).describe('a few words'),
  description: z.string().optional().describe('a sentence'),
})

export const Marketplace = z.object({
  features: z.array(Feature).max(12).optional().describe('what the app is good at'),
  articleFile: z.string().optional().describe('articles/<slug>.md, beside the folder of the definition'),
  article: z.string().optional().describe('inline Markdown; give this or articleFile'),
})

export const InstallLayout = z.object({
  settings: z.enum(['split', 'single', 'grouped']).describe('how the questions of the install are laid out'),
})

export const MinResources = z.object({
  memoryMb: z.number().positive().optional().describe('memory of the host, in MB'),
  cpuCores: z.number().positive().optional().describe('cores of the host; fractions are fine'),
})
export type MinResources = z.output<typeof MinResources>

const Provides = z.object({
  id: z.string().describe('name of the bundle, unique'),
  outputRefs: z.array(z.string()).describe('ids of connection.outputs'),
  category: z.string().optional().describe('what is provided, such as database'),
})

const Requires = z.object({
  id: z.string().describe('name of the need, unique'),
  label: Localized.describe('what people read'),
  envKey: z.string().describe('environment key that gets the value'),
  category: z.string().optional().describe('only projects of apps of this category are offered'),
  mode: z.enum(['internal', 'public']).optional().describe('which address is taken; decided by where both run unless given'),
  optional: z.boolean().optional().describe('the install goes on without it; false unless given'),
})

const MountedFile = ServiceFile.extend({service: serviceName})

export const AppDefinition = z.object({
  $schema: z.string().optional().describe('path of app.schema.json, for editors'),
  schemaVersion: z.number().optional().describe('shape of this file; 1 unless given'),
  id: z.string().min(1).max(100).describe('kebab-case, the same as the file name'),
  name: z.string().describe('title of the card, and what a new project is called'),
  description: z.string().describe('one line on the card'),
  kind: z.enum(['template', 'flow']).describe('template: installing creates the services; flow: it opens flowHref and creates nothing'),
  logo: z.string().describe('name of an icon of Simple Icons, never an address'),
  category: Category.describe('the shelf it stands on'),
  tags: z.array(z.string()).optional().describe('further words to find it by'),
  framework: z.string().optional().describe('stack that is written on the project; docker-compose unless given'),
  available: z.boolean().optional().describe('coming soon unless true'),
  unlisted: z.boolean().optional().describe('left out of the list, still shown and installed by its id; false unless given'),
  verified: z.boolean().optional().describe('every image is published by the project itself; false unless given, and always for uploads'),
  hosting: z.enum(['self-hosted', 'experimental']).optional().describe('how far it is trusted to run; self-hosted unless given'),
  minEngine: z.string().optional().describe('X.Y.Z, the oldest release that runs this; any unless given'),
  updatedAt: z.string().optional().describe('when it was last worked on, ISO 8601'),
  repository: z.url().optional().describe('address of the source of the app'),
  flowHref: z.string().optional().describe('for kind flow: a route starting with /'),
  minResources: MinResources.optional().describe('what the host should have at least; a shortfall warns and refuses nothing'),
  marketplace: Marketplace.optional().describe('what the page of the app shows'),
  installLayout: InstallLayout.optional().describe('a hint for the pages of the install'),
  management: Management.optional().describe('where settings are edited; a form where there are settings, unless given'),
  services: z.array(Service).optional().describe('the containers of the app'),
  configFields: z.array(ConfigField).optional().describe('values that no person types later: generated, or given once at the install'),
  settings: z.array(SettingGroup).optional().describe('values that people edit, in groups'),
  prepare: z.array(PrepareStep).optional().describe('commands run inside a container after it started'),
  connection: Connection.optional().describe('the card that shows how to reach and use the app'),
  endpoints: z.array(Endpoint).optional().describe('how each port is reached; each route of each exposed service unless given'),
  files: z.array(MountedFile).optional().describe('files mounted into services'),
  provides: z.array(Provides).optional().describe('bundles of outputs that other projects can take over'),
  requires: z.array(Requires).optional().describe('what this app takes over from other projects'),
})
export type AppDefinition = z.output<typeof AppDefinition>

/** The file entries of a definition in one form: those at the top, then those of each service. */
export function filesOf(definition: Pick<AppDefinition, 'files' | 'services'>): {readonly service: string; readonly path: string; readonly content: string}[] {
  const own = (definition.services ?? []).flatMap(({name, files = []}) => files.map((file) => ({service: name, ...file})))
  return [...(definition.files ?? []), ...own]
}
