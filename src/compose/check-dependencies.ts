import {findClosest} from '../text/edit-distance.js'
import {servicesNamedIn, sharingKeys} from './dependents.js'
import type {Problems} from './problems.js'
import type {PlacedService} from './read-service.js'
import type {Place} from './tree.js'
import {childOf} from './tree.js'

interface Edge {
  readonly service: string
  readonly place: Place
  readonly isRequired: boolean
  readonly key: string
}

/** Everything that a service waits for or shares must be there, and nothing may wait for itself. Takes dependencies away that need not be there and are not. */
export function checkDependencies(services: readonly PlacedService[], switchedOff: ReadonlyMap<string, readonly string[]>, problems: Problems): PlacedService[] {
  const names = new Set(services.map(({service}) => service.name))
  const edges = new Map(services.map((placed) => [placed.service.name, edgesOf(placed)]))
  for (const [name, list] of edges) {
    for (const edge of list) if (!names.has(edge.service) && edge.isRequired) problems.error(edge.place, describeMissing(name, edge, names, switchedOff))
  }
  findCycles(edges, problems)
  return services.map((placed) => ({...placed, service: {...placed.service, dependsOn: placed.service.dependsOn.filter(({service}) => names.has(service))}}))
}

function edgesOf({service, dependencies, node}: PlacedService): readonly Edge[] {
  const shared = (key: string): Edge[] => {
    const place = childOf(node, key)?.place ?? node.place
    return servicesNamedIn(service.others[key]).map((named) => ({service: named, place, isRequired: true, key}))
  }
  return [...dependencies.map((dependency) => ({...dependency, key: 'depends_on'})), ...sharingKeys.flatMap(shared)]
}

function describeMissing(name: string, {service, key}: Edge, names: ReadonlySet<string>, switchedOff: ReadonlyMap<string, readonly string[]>): string {
  const profiles = switchedOff.get(service)
  if (profiles !== undefined) return `${name} needs ${service}, which is switched off; switch the profile ${profiles.join(' or ')} on, or give ${name} the same profile`
  const closest = findClosest(service, names)
  return `there is no service ${service}; ${closest === undefined ? `add it, or take it out of ${key}` : `did you mean ${closest}?`}`
}

function findCycles(edges: ReadonlyMap<string, readonly Edge[]>, problems: Problems): void {
  const done = new Set<string>()
  const follow = (name: string, way: readonly string[]): void => {
    if (done.has(name)) return
    for (const edge of edges.get(name) ?? []) {
      const from = [...way, name].indexOf(edge.service)
      if (from === -1) follow(edge.service, [...way, name])
      else problems.error(edge.place, `services wait for each other in a circle: ${[...way, name].slice(from).join(' → ')} → ${edge.service}; take one of these dependencies away`)
    }
    done.add(name)
  }
  for (const name of edges.keys()) follow(name, [])
}
