import type {ComposePort} from '../../../src/compose/compose-model.js'
import {formatPort} from '../../../src/compose/port-text.js'
import type {Engines} from '../../servers/engine/engine.js'
import type {Sealer} from '../../store/secrets.js'
import type {StoreReader} from '../../store/store.js'
import {findOpenRelease} from '../deployments/release-book.js'
import {projectContainers} from '../live/find-containers.js'
import {engineOf} from '../live/project-place.js'
import type {ProjectRecord} from '../records.js'

export interface PortParts {
  readonly store: StoreReader
  readonly sealer: Sealer
  readonly engines: Engines
}

const longestMs = 5000

type Published = ReadonlyMap<string, readonly ComposePort[]>

/** The ports of what is served, by service, in the form of Compose. Where the engine chose one it is asked which; a server that does not answer leaves it open. */
export async function publishedPorts(parts: PortParts, project: ProjectRecord, signal: AbortSignal): Promise<ReadonlyMap<string, readonly string[]> | undefined> {
  const release = await findOpenRelease(parts.store, parts.sealer, project.activeDeploymentId)
  if (release === undefined) return undefined
  const declared = new Map(release.model.services.map(({service: {name, ports}}) => [name, ports]))
  const isOpen = [...declared.values()].flat().some(({hostPort}) => hostPort === null)
  const chosen = isOpen ? await chosenPorts(parts, project, AbortSignal.any([signal, AbortSignal.timeout(longestMs)])).catch(() => undefined) : undefined
  signal.throwIfAborted()
  return new Map([...declared].map(([name, ports]) => [name, ports.map((port) => formatPort(port.hostPort === null ? fill(port, chosen?.get(name)) : port))]))
}

function fill(port: ComposePort, chosen: readonly ComposePort[] | undefined): ComposePort {
  const found = chosen?.find(({containerPort, protocol}) => containerPort === port.containerPort && protocol === port.protocol)
  return found === undefined ? port : {...port, hostPort: found.hostPort}
}

async function chosenPorts(parts: PortParts, project: ProjectRecord, signal: AbortSignal): Promise<Published> {
  const containers = await projectContainers(await engineOf(parts, project), project, signal)
  return new Map(containers.map(({labels, ports}) => [labels['com.docker.compose.service'] ?? '', ports]))
}
