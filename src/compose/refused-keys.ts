import {pluginServiceKeys} from './plugin-keys.js'
import type {Problems} from './problems.js'
import {childOf, type MapNode, type TreeNode} from './tree.js'

/** Keys of a service that can not be honoured, and what to do instead. */
const refused: Readonly<Record<string, string>> = {
  container_name: 'two releases of a service run side by side while they are switched, and only one container can have a name; take it away, and put the name under networks.default.aliases where other services use it as a host name',
  credential_spec: 'it is for Windows; take it away',
  models: 'there are no models here; run one as a service and give its address in environment',
  provider: 'a service is a container here; name an image',
  use_api_socket: 'the engine of the server is not handed to services; mount its socket in volumes if you want that',
}

export const refusedKeys = Object.keys(refused)

/** Keys and values that stop a project, and those that only deserve a warning on one's own server. */
export function refuseKeys(service: MapNode, problems: Problems): void {
  for (const [key, entry] of service.entries) {
    const why = Object.hasOwn(refused, key) ? refused[key] : undefined
    if (why !== undefined && entry.value.kind !== 'null') problems.error(entry.key, `${key} can not be honoured: ${why}`)
  }
  for (const key of pluginServiceKeys) {
    const entry = service.entries.get(key)
    if (entry !== undefined) problems.warn(entry.key, `${key} needs the Compose plugin (docker compose) on the server; docker-compose 1.29 does not know it`)
  }
  for (const key of ['network_mode', 'pid', 'ipc']) refuseForeign(key, childOf(service, key), problems)
  const from = childOf(service, 'volumes_from')
  for (const item of from?.kind === 'list' ? from.items : []) {
    if (textOf(item).startsWith('container:')) problems.error(item.place, 'only volumes of services of this project can be shared; name the service')
  }
  const options = childOf(service, 'security_opt')
  for (const item of options?.kind === 'list' ? options.items : []) {
    if (/^seccomp[:=](?!unconfined$)/.test(textOf(item))) problems.error(item.place, 'a seccomp profile from a file can not be honoured; take it away for the usual one, or write seccomp:unconfined')
  }
  if (textOf(childOf(service, 'privileged')) === 'true') problems.warn(childOf(service, 'privileged')?.place ?? service.place, 'a privileged service rules the whole server; name what it needs in cap_add or devices instead')
}

function refuseForeign(key: string, node: TreeNode | undefined, problems: Problems): void {
  const text = textOf(node)
  if (node === undefined) return
  if (text.startsWith('container:')) problems.error(node.place, `${key}: ${text} can not be honoured: containers get new names with every release; write service:NAME`)
  else if (text === 'host') problems.warn(node.place, hostWarnings[key] ?? '')
}

const hostWarnings: Readonly<Record<string, string>> = {
  network_mode: 'the service takes its ports on the server itself: ports has no effect, other services do not find it by name, and it can collide with anything there',
  pid: 'the service sees and can end every process of the server',
  ipc: 'the service shares memory with every process of the server',
}

function textOf(node: TreeNode | undefined): string {
  return node?.kind === 'text' ? node.text : ''
}
