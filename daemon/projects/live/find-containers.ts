import {labelNames, toProjectName} from '../../../src/compose/release.js'
import type {ContainerFacts, Engine} from '../../servers/engine/engine.js'
import type {ProjectRecord, ServiceRecord} from '../records.js'

const composeLabels = {project: 'com.docker.compose.project', service: 'com.docker.compose.service'} as const

export interface FoundContainer {
  /** Null for a container whose service is not described any more. */
  readonly serviceId: string | null
  readonly serviceName: string
  readonly container: ContainerFacts | undefined
  readonly matchedBy: 'label' | 'name' | 'none'
  /** Further containers of the same service. */
  readonly duplicates: readonly ContainerFacts[]
}

/** The containers of a project on its server. */
export async function projectContainers(engine: Engine, project: Pick<ProjectRecord, 'id' | 'slug'>, signal: AbortSignal): Promise<readonly ContainerFacts[]> {
  const found = await engine.containers({[composeLabels.project]: toProjectName(project.slug)}, {signal})
  // Another project may have this slug on the same server: in another organization, or of another instance.
  return found.filter(({labels}) => (labels[labelNames.project] ?? project.id) === project.id)
}

/** Brings services and containers together: by our label, else by the name that Compose gives. */
export function matchContainers(services: readonly Pick<ServiceRecord, 'id' | 'name'>[], containers: readonly ContainerFacts[]): FoundContainer[] {
  const left = new Set(containers)
  const take = (belongs: (container: ContainerFacts) => boolean) => {
    const taken = [...left].filter(belongs).sort(byWorth)
    for (const container of taken) left.delete(container)
    return taken
  }
  const labelled = services.map(({id}) => take(({labels}) => labels[labelNames.service] === id))
  const known = services.map(({id, name}, index): FoundContainer => {
    const own = labelled[index] ?? []
    const [container, ...duplicates] = own.length > 0 ? own : take(({labels}) => labels[composeLabels.service] === name)
    const matchedBy = container === undefined ? 'none' : own.length > 0 ? 'label' : 'name'
    return {serviceId: id, serviceName: name, container, matchedBy, duplicates}
  })
  return [...known, ...[...left].sort(byWorth).map(toOrphan)]
}

/** The containers of one service, the one that counts first. */
export function containersOf(service: Pick<ServiceRecord, 'id' | 'name'>, services: readonly Pick<ServiceRecord, 'id' | 'name'>[], containers: readonly ContainerFacts[]): FoundContainer {
  const found = matchContainers(services, containers).find(({serviceId}) => serviceId === service.id)
  return found ?? {serviceId: service.id, serviceName: service.name, container: undefined, matchedBy: 'none', duplicates: []}
}

function toOrphan(container: ContainerFacts): FoundContainer {
  return {serviceId: null, serviceName: container.labels[composeLabels.service] ?? container.name, container, matchedBy: 'none', duplicates: []}
}

const order: readonly ContainerFacts['state'][] = ['running', 'restarting', 'paused', 'created', 'exited', 'dead', 'removing']

// Of several the one that runs counts, then the one that was started last.
function byWorth(one: ContainerFacts, other: ContainerFacts): number {
  return order.indexOf(one.state) - order.indexOf(other.state) || compare(other.startedAt ?? '', one.startedAt ?? '') || compare(one.name, other.name)
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0
}
