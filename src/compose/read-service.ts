import type {ComposeService} from './compose-model.js'
import {warnUnknownKeys, type Problems} from './problems.js'
import {readBuild} from './read-build.js'
import type {ReadContext} from './read-context.js'
import {readDependencies, type Dependency} from './read-depends.js'
import {readDeploy} from './read-deploy.js'
import {readEnvironment, readLabels} from './read-environment.js'
import {readGrants} from './read-grants.js'
import {readHealthcheck} from './read-healthcheck.js'
import {readMounts} from './read-mounts.js'
import {readNetworks} from './read-networks.js'
import {passedKeys, readGracePeriod, readOthers} from './read-others.js'
import {readPorts, type PlacedPort} from './read-ports.js'
import {readText, readTexts} from './read-values.js'
import {refuseKeys, refusedKeys} from './refused-keys.js'
import {splitWords} from './shell-words.js'
import {childOf, type MapNode, type Place, type TreeNode} from './tree.js'

/** A service with the places that checks across services need. */
export interface PlacedService {
  readonly service: ComposeService
  readonly place: Place
  readonly ports: readonly PlacedPort[]
  readonly dependencies: readonly Dependency[]
  readonly node: MapNode
}

const readKeys = [
  'annotations', 'attach', 'build', 'command', 'configs', 'depends_on', 'deploy', 'develop', 'entrypoint', 'env_file', 'environment', 'extends', 'gpus', 'healthcheck', 'image', 'label_file', 'labels',
  'networks', 'ports', 'profiles', 'pull_refresh_after', 'restart', 'scale', 'secrets', 'stop_grace_period', 'tmpfs', 'volumes',
]

export async function readService(name: string, {key, node}: {readonly key: Place; readonly node: MapNode}, context: ReadContext): Promise<PlacedService> {
  const {problems} = context
  warnUnknownKeys(node, [...readKeys, ...passedKeys, ...refusedKeys], problems)
  refuseKeys(node, problems)
  const [ports, dependencies, deploy, grants] = [publishedPorts(node, problems), readDependencies(node, problems), readDeploy(node, problems), readGrants(node, context)]
  const mounts = [...readMounts(node, context), ...grants.mounts]
  const build = await readBuild(node, context)
  const service: ComposeService = {
    name,
    image: readImage(node, {key, problems, isBuilt: build !== null}),
    build,
    environment: await readEnvironment(node, context),
    ports: ports.map(({port}) => port),
    mounts: [...mounts.filter(({type}) => type !== 'tmpfs'), ...mounts.filter(({type}) => type === 'tmpfs')],
    ...(grants.files.length > 0 && {files: grants.files}),
    dependsOn: dependencies.map(({service: other, condition}) => ({service: other, condition})),
    healthcheck: readHealthcheck(node, problems),
    command: readWords(childOf(node, 'command'), problems),
    entrypoint: readWords(childOf(node, 'entrypoint'), problems),
    restart: readRestart(childOf(node, 'restart'), problems) ?? deploy.restart,
    stopGracePeriod: readGracePeriod(node, problems),
    labels: await readLabels(node, context),
    networks: readNetworks(node, context),
    others: {...deploy.others, ...readOthers(node, problems)},
  }
  return {service, place: key, ports, dependencies, node}
}

// Who has no network of its own can publish nothing: the engine refuses it, or Compose leaves it out.
function publishedPorts(node: MapNode, problems: Problems): readonly PlacedPort[] {
  const ports = readPorts(node, problems)
  const mode = childOf(node, 'network_mode')
  if (ports.length === 0 || mode?.kind !== 'text' || mode.text === 'bridge') return ports
  if (mode.text.startsWith('service:')) problems.error(childOf(node, 'ports')?.place ?? node.place, `ports are published by the service whose network this is; move them to ${mode.text.slice('service:'.length)}`)
  return []
}

function readImage(node: MapNode, {key, problems, isBuilt}: {readonly key: Place; readonly problems: Problems; readonly isBuilt: boolean}): string | null {
  const image = childOf(node, 'image')
  const text = readText(image, problems)?.trim() ?? null
  if (text === null || text === '') {
    if (!isBuilt) problems.error(image?.place ?? key, image === undefined ? 'a service needs image or build' : 'the image is empty; name one, or take the key away and add build')
    return null
  }
  if (!/^[a-zA-Z0-9][^\s]*$/.test(text)) problems.error((image ?? node).place, `${JSON.stringify(text)} is no name of an image`)
  return text
}

/** A command as a list of words; a text is split as a shell would. */
function readWords(node: TreeNode | undefined, problems: Problems): readonly string[] | null {
  if (node === undefined || node.kind === 'null') return null
  if (node.kind === 'list') return readTexts(node, problems)
  const text = readText(node, problems)
  const words = text === undefined ? [] : splitWords(text)
  if (words === undefined) problems.error(node.place, 'a quote in this command does not end; close it, or write the command as a list')
  return words ?? []
}

function readRestart(node: TreeNode | undefined, problems: Problems): string | null {
  const text = readText(node, problems)
  if (node === undefined || text === undefined) return null
  // Without quotes, `no` reads as false in older YAML, and some write that.
  const restart = text === 'false' ? 'no' : text
  if (/^(?:no|always|unless-stopped|on-failure(?::\d+)?)$/.test(restart)) return restart
  problems.error(node.place, `${text} is no policy for restarts; there are no, always, unless-stopped and on-failure`)
  return null
}
