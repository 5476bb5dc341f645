import {warnUnknownKeys, type Problems} from './problems.js'
import {fromBytes, toBytes} from './quantities.js'
import {readInteger, readMap, readNumber, readText, toData} from './read-values.js'
import {childOf, type MapNode, type TreeNode} from './tree.js'

export interface DeployPart {
  /** What `deploy` says, under the keys of a service that mean the same to every version of Compose. */
  readonly others: Readonly<Record<string, unknown>>
  readonly restart: string | null
}

const inSwarm = 'that is for a swarm, and there is none here'
const refused: Readonly<Record<string, string>> = {
  endpoint_mode: `${inSwarm}; take it away`,
  labels: `they go to the service of a swarm, not to the container; move them to labels of the service`,
  placement: `${inSwarm}; a project runs on one server`,
  rollback_config: `${inSwarm}; a deployment that fails brings the release before it back by itself`,
  update_config: `${inSwarm}; services are switched when all of them are ready`,
}

/** `deploy` as far as one server can honour it: resources, one replica, the policy for restarts. */
export function readDeploy(service: MapNode, problems: Problems): DeployPart {
  refuseScale(childOf(service, 'scale'), 'scale', problems)
  const deploy = readMap(childOf(service, 'deploy'), problems)
  if (deploy === undefined) return {others: readGpus(service), restart: null}
  warnUnknownKeys(deploy, ['mode', 'replicas', 'resources', 'restart_policy', ...Object.keys(refused)], problems)
  for (const [key, entry] of deploy.entries) {
    const why = Object.hasOwn(refused, key) ? refused[key] : undefined
    if (why !== undefined) problems.error(entry.key, `deploy.${key} can not be honoured: ${why}`)
  }
  refuseScale(childOf(deploy, 'replicas'), 'deploy.replicas', problems)
  const mode = childOf(deploy, 'mode')
  const modeText = readText(mode, problems) ?? 'replicated'
  if (mode !== undefined && modeText !== 'replicated') problems.error(mode.place, `deploy.mode ${modeText} can not be honoured: ${inSwarm}; take it away`)
  return {others: {...readGpus(service), ...readResources(readMap(childOf(deploy, 'resources'), problems), problems)}, restart: readPolicy(readMap(childOf(deploy, 'restart_policy'), problems), problems)}
}

function refuseScale(node: TreeNode | undefined, key: string, problems: Problems): void {
  const count = readInteger(node, problems)
  if (node === undefined || count === undefined || count === 1) return
  const advice = count === 0 ? 'give the service a profile, or switch it off in the project' : 'write the service down as often as it shall run, under names of its own'
  problems.error(node.place, `${key}: ${count} can not be honoured: every service runs once; ${advice}`)
}

function readResources(resources: MapNode | undefined, problems: Problems): Record<string, unknown> {
  const limits = readMap(childOf(resources, 'limits'), problems)
  const reserved = readMap(childOf(resources, 'reservations'), problems)
  for (const key of ['cpus', 'generic_resources']) {
    const entry = reserved?.entries.get(key)
    if (entry !== undefined) problems.warn(entry.key, `a reservation of ${key} has an effect in a swarm only; limits count here`)
  }
  const cpus = readNumber(childOf(limits, 'cpus'), problems)
  const pids = readInteger(childOf(limits, 'pids'), problems)
  const memory = readSize(childOf(limits, 'memory'), problems)
  const reservedMemory = readSize(childOf(reserved, 'memory'), problems)
  const devices = childOf(reserved, 'devices')
  return {
    ...(cpus !== undefined && {cpus}),
    ...(memory !== undefined && {mem_limit: memory}),
    ...(pids !== undefined && {pids_limit: pids}),
    ...(reservedMemory !== undefined && {mem_reservation: reservedMemory}),
    ...(devices?.kind === 'list' && withDevices(toData(devices, true))),
  }
}

/** The short form for graphics cards, in the long one that older versions know too. */
function readGpus(service: MapNode): Record<string, unknown> {
  const gpus = childOf(service, 'gpus')
  if (gpus?.kind === 'text' && gpus.text === 'all') return withDevices([{capabilities: ['gpu'], count: -1}])
  if (gpus?.kind !== 'list') return {}
  return withDevices(gpus.items.map((item) => ({capabilities: ['gpu'], ...(toData(item, true) as Record<string, unknown>)})))
}

function withDevices(devices: unknown): Record<string, unknown> {
  return {deploy: {resources: {reservations: {devices}}}}
}

export function readSize(node: TreeNode | undefined, problems: Problems): string | undefined {
  const text = readText(node, problems)
  if (node === undefined || text === undefined) return undefined
  if (text === '-1') return text
  const bytes = toBytes(text)
  if (bytes === undefined) problems.error(node.place, `${text} is no size; write a number with its unit, such as 512m`)
  return bytes === undefined ? undefined : fromBytes(bytes)
}

const conditions: Readonly<Record<string, string>> = {none: 'no', no: 'no', 'on-failure': 'on-failure', any: 'always', always: 'always', 'unless-stopped': 'unless-stopped'}

function readPolicy(policy: MapNode | undefined, problems: Problems): string | null {
  if (policy === undefined) return null
  for (const key of ['delay', 'window']) {
    const entry = policy.entries.get(key)
    if (entry !== undefined) problems.warn(entry.key, `deploy.restart_policy.${key} has an effect in a swarm only`)
  }
  const condition = childOf(policy, 'condition')
  const restart = conditions[readText(condition, problems) ?? 'any']
  if (restart === undefined) problems.error(condition?.place ?? policy.place, 'the condition is one of none, on-failure, any')
  const attempts = readInteger(childOf(policy, 'max_attempts'), problems)
  return restart === 'on-failure' && attempts !== undefined && attempts > 0 ? `on-failure:${attempts}` : (restart ?? null)
}
