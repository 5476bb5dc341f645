import {checkDependencies} from './check-dependencies.js'
import {checkResourceNames, checkServiceNames} from './check-names.js'
import {checkPorts} from './check-ports.js'
import type {ComposeNetwork, ComposeProject, ComposeVolume, ReadCompose, ReadComposeOptions} from './compose-model.js'
import {maxServices} from './extends.js'
import {loadProject, readDotenv} from './load-project.js'
import {servicesOf, type LoadContext} from './load-file.js'
import {Problems, warnUnknownKeys} from './problems.js'
import type {ReadContext} from './read-context.js'
import {readNetwork, readVolume} from './read-resources.js'
import {readService, type PlacedService} from './read-service.js'
import {readTexts} from './read-values.js'
import {folderOf} from './source-path.js'
import {childOf, type MapNode, type TreeEntry} from './tree.js'
import {Variables} from './variables.js'

const maxFiles = 100

/** Reads a Compose file with all that belongs to it, as Compose does, and says what of it can not be honoured. Reads only through `readText`. */
export async function readCompose(options: ReadComposeOptions): Promise<ReadCompose> {
  const problems = new Problems()
  const file = {path: options.path, folder: folderOf(options.path)}
  const dotenv = await readDotenv(file, options.variables, {readText: options.readText, problems})
  const variables = new Variables([...dotenv, ...Object.entries(options.variables)], problems)
  const context: LoadContext = {readText: options.readText, problems, variables, budget: {files: maxFiles}}
  const tree = await loadProject(options, context)
  const profiles = options.profiles.length > 0 ? options.profiles : (variables.lookup('COMPOSE_PROFILES') ?? '').split(',').map((name) => name.trim())
  const project = tree === undefined ? null : await readProject(tree, profiles, context)
  return {project: problems.hasErrors ? null : project, problems: problems.all, variables: variables.uses}
}

async function readProject(tree: MapNode, profiles: readonly string[], context: LoadContext): Promise<ComposeProject> {
  const {problems, variables, readText} = context
  checkTop(tree, problems)
  const declared = {volumes: resourcesOf(tree, 'volumes', problems), networks: resourcesOf(tree, 'networks', problems), secrets: resourcesOf(tree, 'secrets', problems), configs: resourcesOf(tree, 'configs', problems)}
  const readContext: ReadContext = {problems, variables, readText, declared: (kind) => declared[kind]}
  const services: PlacedService[] = []
  const switchedOff = new Map<string, readonly string[]>()
  for (const [name, entry] of servicesOf(tree)) {
    const wanted = readTexts(childOf(entry.value, 'profiles'), problems)
    if (wanted.length > 0 && !wanted.some((profile) => profiles.includes(profile) || profiles.includes('*'))) switchedOff.set(name, wanted)
    else if (entry.value.kind !== 'map') problems.error(entry.key, `${name} is no service; a service is a map with image or build`)
    else services.push(await readService(name, {key: entry.key, node: entry.value}, readContext))
  }
  const checked = checkDependencies(services, switchedOff, problems)
  checkServiceNames(services.map(({service, place}) => ({name: service.name, place})), problems)
  checkPorts(services.map(({service, ports}) => ({name: service.name, ports})), problems)
  return {
    services: checked.map(({service}) => service),
    volumes: [...declared.volumes].map(([key, node]): ComposeVolume => readVolume(key, node, problems)),
    networks: [...declared.networks].map(([key, node]): ComposeNetwork => readNetwork(key, node, problems)),
  }
}

function checkTop(tree: MapNode, problems: Problems): void {
  const services = tree.entries.get('services')
  if (services === undefined) {
    const isOld = [...tree.entries.values()].some(({value}) => childOf(value, 'image') !== undefined || childOf(value, 'build') !== undefined)
    problems.error(tree.place, isOld ? 'this is the first format of Compose, without the key services; indent everything below services:' : 'the file has no services')
  } else if (services.value.kind !== 'map' || services.value.entries.size === 0) problems.error(services.key, 'services is a map of at least one service')
  else if (services.value.entries.size > maxServices) problems.error(services.key, `a project has at most ${maxServices} services; this one has ${services.value.entries.size}`)
  const models = tree.entries.get('models')
  if (models !== undefined) problems.error(models.key, 'models can not be honoured: run a model as a service and give its address in environment')
  warnUnknownKeys(tree, ['version', 'name', 'services', 'volumes', 'networks', 'secrets', 'configs', 'models'], problems)
}

function resourcesOf(tree: MapNode, kind: 'volumes' | 'networks' | 'secrets' | 'configs', problems: Problems): ReadonlyMap<string, MapNode> {
  const section = childOf(tree, kind)
  if (section === undefined || section.kind === 'null') return new Map()
  if (section.kind !== 'map') {
    problems.error(section.place, `${kind} is a map of names`)
    return new Map()
  }
  const entries: [string, TreeEntry][] = [...section.entries]
  checkResourceNames(kind.slice(0, -1), entries.map(([name, {key}]) => ({name, place: key})), problems)
  return new Map(entries.flatMap(([name, {key, value}]): [string, MapNode][] => {
    if (value.kind === 'map') return [[name, value]]
    problems.error(key, `${name} under ${kind} is a map, or nothing`)
    return []
  }))
}
