import type {ComposeNetwork, ComposeProblem, ComposeVolume} from '../../../src/compose/compose-model.js'
import {readCompose} from '../../../src/compose/read-compose.js'
import {toServiceFields, type ServiceFields} from '../../../src/compose/to-service-fields.js'
import {Fault} from '../../../src/contract/faults.js'
import type {ProjectRecord} from '../records.js'
import type {SourceTree} from '../sources/source.js'

/** What a definition is read from. */
export type TextSource = Pick<SourceTree, 'has' | 'readText'>

/** What the source of a project says it is made of. */
export interface SourceDefinition {
  /** Folder of the source that paths of services start from. */
  readonly folder: string
  readonly services: readonly ServiceFields[]
  readonly volumes: readonly ComposeVolume[]
  readonly networks: readonly ComposeNetwork[]
  readonly warnings: readonly string[]
  /** The port that is published since the project says so; null where a Compose file says what is. */
  readonly ownPort: number | null
}

export type Described = Pick<ProjectRecord, 'name' | 'buildKind' | 'rootDirectory' | 'composePath' | 'composeProfiles' | 'dockerfile' | 'image' | 'port' | 'volumes' | 'startCommand'>

const composeNames = ['compose.yaml', 'compose.yml', 'docker-compose.yaml', 'docker-compose.yml']
const largestText = 1_000_000
/** Problems that a message names one by one; its details have all. */
const mostTold = 10
/** The service of a project that is one image or one Dockerfile. */
const onlyService = 'app'

/** Reads the Compose file of a source, or takes its Dockerfile as the one service. */
export async function readDefinition(tree: TextSource, project: Described, variables: Readonly<Record<string, string>>): Promise<SourceDefinition> {
  const root = normalize(project.rootDirectory)
  const found = project.buildKind === 'dockerfile' ? undefined : await findCompose(tree, project, root)
  if (found !== undefined) return readComposeOf(tree, found, {profiles: project.composeProfiles, variables})
  const dockerfile = project.dockerfile ?? 'Dockerfile'
  if ((await tree.has(join(root, dockerfile))) === 'file') {
    return single(project, {build: '.', dockerfile: dockerfile === 'Dockerfile' ? null : dockerfile}, root)
  }
  const place = root === '.' ? 'the source' : root
  throw new Fault('NOTHING_TO_DEPLOY', `${place} has no Compose file (${composeNames.join(', ')}) and no ${dockerfile}`, {suggestions: ['projects update PROJECT --compose-file deploy/compose.yml']})
}

/** A project of one image as its only service. */
export function imageDefinition(project: Described, image: string): SourceDefinition {
  return single(project, {image}, '.')
}

function single(project: Described, fields: Partial<ServiceFields>, folder: string): SourceDefinition {
  return {folder, services: [{...emptyFields(project), ...fields}], volumes: [], networks: [], warnings: [], ownPort: project.port}
}

/** How a project of one service publishes its port. */
export function ownPortText(port: number): string {
  return `127.0.0.1::${port}`
}

// Nobody publishes the port of a project of one service: it is reached on the server itself, until it has a domain.
function emptyFields({port, volumes, startCommand}: Described): ServiceFields {
  return {
    name: onlyService, image: null, build: null, dockerfile: null, ports: [ownPortText(port)], volumes: volumes ?? [], dependsOn: [], environment: {},
    command: startCommand === '' ? null : startCommand, commandArgv: null, restart: 'unless-stopped', advanced: {},
  }
}

interface FoundCompose {
  readonly path: string
  readonly overrides: readonly string[]
}

async function findCompose(tree: TextSource, {composePath}: Described, root: string): Promise<FoundCompose | undefined> {
  if (composePath !== null && composePath !== '') {
    const path = join(root, composePath)
    if ((await tree.has(path)) !== 'file') throw new Fault('COMPOSE_INVALID', `the source has no Compose file ${path}`, {details: {problems: []}})
    return {path, overrides: []}
  }
  for (const name of composeNames) {
    const path = join(root, name)
    if ((await tree.has(path)) !== 'file') continue
    const override = path.replace(/\.(ya?ml)$/, '.override.$1')
    return {path, overrides: (await tree.has(override)) === 'file' ? [override] : []}
  }
  return undefined
}

async function readComposeOf(tree: TextSource, {path, overrides}: FoundCompose, {profiles, variables}: {readonly profiles: readonly string[]; readonly variables: Readonly<Record<string, string>>}): Promise<SourceDefinition> {
  const text = (await tree.readText(path, largestText)) ?? ''
  const {project, problems} = await readCompose({path, text, overrides, variables, profiles, readText: (other) => tree.readText(other, largestText)})
  const warnings = problems.filter(({severity}) => severity === 'warning').map(describeProblem)
  if (project === null) throw toFault(path, problems)
  const folder = path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '.'
  return {folder, services: project.services.map((service) => toServiceFields(service, {folder})), volumes: project.volumes, networks: project.networks, warnings, ownPort: null}
}

function toFault(path: string, problems: readonly ComposeProblem[]): Fault {
  const errors = problems.filter(({severity}) => severity === 'error')
  const told = errors.slice(0, mostTold).map(describeProblem).join('; ')
  const more = errors.length > mostTold ? `; and ${errors.length - mostTold} more` : ''
  return new Fault('COMPOSE_INVALID', told === '' ? `${path} can not be used` : `${told}${more}`, {details: {problems: errors}})
}

function describeProblem({file, line, column, message}: ComposeProblem): string {
  return `${file}:${line}:${column}: ${message}`
}

function normalize(folder: string | null): string {
  const parts = (folder ?? '').split('/').filter((part) => part !== '' && part !== '.')
  return parts.length === 0 ? '.' : parts.join('/')
}

function join(folder: string, path: string): string {
  return normalize(folder === '.' ? path : `${folder}/${path}`)
}
