import type {AppDefinition, Category, ConfigField, Service} from './definition.js'
import {labelOf} from './name-texts.js'
import {databases, type DatabaseKind, type DatabaseParts} from './new-app-databases.js'

/** What an author says about an app that is about to be written. */
export interface NewApp {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly category: Category
  readonly logo: string
  /** Undefined: built from a Dockerfile in the definition. */
  readonly image: string | undefined
  readonly port: number
  /** Folder in the container that outlives it. */
  readonly dataPath: string | undefined
  readonly database: DatabaseKind
  /** Environment keys of secrets to generate. */
  readonly secrets: readonly string[]
}

/** A small, complete definition that the linter has nothing to say about. */
export function scaffoldApp(app: NewApp): AppDefinition {
  const database = app.database === 'none' ? undefined : databases[app.database]
  const services = [webService(app, database), ...(database === undefined ? [] : [database.service])]
  const usesNewKeys = services.some(({commandArgv, stopGracePeriod}) => commandArgv !== undefined || stopGracePeriod !== undefined)
  const configFields: ConfigField[] = [
    ...app.secrets.map((key): ConfigField => ({key, service: 'web', label: labelOf(key), generate: 'secret', secret: true})),
    ...(database === undefined ? [] : [database.configField]),
  ]
  return {
    id: app.id,
    name: app.name,
    description: app.description,
    kind: 'template',
    logo: app.logo,
    category: app.category,
    tags: [],
    available: true,
    framework: 'docker-compose',
    ...(usesNewKeys && {minEngine: '0.6.6'}),
    minResources: {memoryMb: 256 + (database?.memoryMb ?? 0)},
    marketplace: {features: [{title: 'What it does best', description: 'A sentence about it.'}], articleFile: `articles/${app.id}.md`},
    services,
    ...(configFields.length > 0 && {configFields}),
    connection: {
      title: `Your ${app.name}`,
      description: 'Open it in a browser.',
      outputs: [{id: 'url', label: 'Address', source: 'publicUrl:web', kind: 'url', recommended: true}],
    },
  }
}

function webService({image, port, dataPath, secrets}: NewApp, database: DatabaseParts | undefined): Service {
  const secretEnv = [...secrets, ...(database === undefined ? [] : [database.address.key])]
  return {
    name: 'web',
    ...(image === undefined ? {build: pageBuild(port)} : {image}),
    ports: [`${port < 1024 ? port + 8000 : port}:${port}`],
    exposedPort: port,
    exposed: true,
    ...(database !== undefined && {environment: {[database.address.key]: database.address.value}}),
    ...(secretEnv.length > 0 && {secretEnv}),
    ...(dataPath !== undefined && {volumes: [`data:${dataPath}`]}),
    ...(database !== undefined && {dependsOn: [database.service.name]}),
    restart: 'unless-stopped',
  }
}

// Something that runs, to be replaced line by line.
function pageBuild(port: number): NonNullable<Service['build']> {
  const listen = port === 80 ? '' : `RUN sed -i 's/listen  *80;/listen ${port};/' /etc/nginx/conf.d/default.conf\n`
  return {
    dockerfile: `FROM nginx:1.29.0-alpine\n${listen}COPY web/index.html /usr/share/nginx/html/index.html\n`,
    files: [{path: 'index.html', content: '<!doctype html>\n<title>It runs</title>\n<h1>It runs</h1>\n'}],
  }
}

/** The article of a new app: what its page says beyond the card. */
export function scaffoldArticle({name, description, database, image}: NewApp): string {
  const parts = [`the app itself (${image ?? 'built from the Dockerfile in the definition'})`, ...(database === 'none' ? [] : [`its own ${databases[database].service.image ?? database}`])]
  return `# ${name}

${description}

## What you get

Two or three sentences for somebody who has never heard of ${name}: what it is for, what it does well, and what it does not do.

## What is installed

${parts.map((part) => `- ${part}`).join('\n')}

## First steps

1. Open the address on the connection card.
2. Say what the first person does there.

## Data and backups

Say which volumes hold what, and the command that makes a copy.
`
}
