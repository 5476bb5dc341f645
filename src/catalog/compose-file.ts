import {composeServices} from './compose-service.js'
import {toComposeText} from './compose-variables.js'
import {toYaml, type YamlMap} from '../compose/yaml-out.js'
import type {RenderedApp} from './render-app.js'
import type {RenderedPort} from './render-service.js'

export interface ComposeOptions {
  /** Names of variables that stand-ins may become. */
  readonly variables: ReadonlySet<string>
  /** Lines at the top, for people. */
  readonly header?: readonly string[]
}

export interface ComposeFile {
  readonly text: string
  /** What Compose does otherwise than a deployment. */
  readonly notes: readonly string[]
}

/** One Compose file for an app, in the words that both docker-compose 1.29 and Compose v2 know: without version, which the newer one calls obsolete. */
export function toComposeFile(app: RenderedApp, {variables, header = []}: ComposeOptions): ComposeFile {
  const routed = publishRoutes(app)
  const model = toComposeModel(app, variables, routed)
  // A line that a comment would end at is one that the file would go on with.
  const comments = header.map((line) => `# ${line.replace(/[^\p{L}\p{N}\p{P}\p{S} ]/gu, ' ')}\n`).join('')
  return {text: comments + toYaml(model), notes: [...routeNotes(routed), ...prepareNotes(app)]}
}

function toComposeModel(app: RenderedApp, variables: ReadonlySet<string>, routed: RoutedPorts): YamlMap {
  const named = app.services.flatMap(({volumes}) => volumes).filter(({kind}) => kind === 'named')
  const volumes = Object.fromEntries(named.map(({source, realName}) => [source ?? '', {name: toComposeText(realName ?? '', variables)}]))
  return {services: composeServices(app, variables, routed), ...(named.length > 0 && {volumes})}
}

type RoutedPorts = ReadonlyMap<string, readonly RenderedPort[]>

// A deployment leads addresses to these ports; Compose has nothing that does, so without a mapping nobody could reach them.
function publishRoutes({routes, services}: RenderedApp): RoutedPorts {
  const used = new Set(services.flatMap(({ports}) => ports.map(({hostPort}) => hostPort)))
  const published = new Map<string, RenderedPort[]>()
  for (const {service, port} of routes) {
    const isMapped = services.some(({name, ports}) => name === service && ports.some(({containerPort, protocol}) => containerPort === port && protocol === 'tcp'))
    if (isMapped || !Number.isInteger(port) || port < 1 || port > 65_535) continue
    const mapping = {hostAddress: '127.0.0.1', hostPort: used.has(port) ? null : port, containerPort: port, protocol: 'tcp' as const}
    used.add(port)
    published.set(service, [...(published.get(service) ?? []), mapping])
  }
  return published
}

function routeNotes(routed: RoutedPorts): string[] {
  return [...routed].flatMap(([service, ports]) =>
    ports.map(({hostPort, containerPort}) => `${service}: port ${containerPort} is published on 127.0.0.1${hostPort === null ? ', on a port that Docker chooses' : `:${hostPort}`}, as Compose has no routes`),
  )
}

function prepareNotes({prepare}: RenderedApp): string[] {
  return prepare.filter(({phase}) => phase !== 'pre-deploy').map(({service, title}) => `${service}: Compose does not run the step ${JSON.stringify(title)} after the start`)
}
