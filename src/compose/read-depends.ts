import type {DependsCondition} from './compose-model.js'
import {warnUnknownKeys, type Problems} from './problems.js'
import {readBoolean, readMap, readText} from './read-values.js'
import {childOf, type MapNode, type Place} from './tree.js'

export interface Dependency {
  readonly service: string
  readonly condition: DependsCondition
  /** Whether a service that is not there is an error. */
  readonly isRequired: boolean
  readonly place: Place
}

const conditions = new Set<string>(['service_started', 'service_healthy', 'service_completed_successfully'])

export function readDependencies(service: MapNode, problems: Problems): readonly Dependency[] {
  const map = readMap(childOf(service, 'depends_on'), problems)
  return [...(map?.entries ?? [])].map(([name, {key, value}]): Dependency => {
    const options = readMap(value, problems)
    if (options !== undefined) warnUnknownKeys(options, ['condition', 'required', 'restart'], problems)
    const again = childOf(options, 'restart')
    if (again !== undefined && readBoolean(again, problems) === true) problems.warn(again.place, `${name} does not restart this service along with it; only a deployment does`)
    const node = childOf(options, 'condition')
    const condition = readText(node, problems) ?? 'service_started'
    if (!isCondition(condition)) problems.error(node?.place ?? key, `the condition is one of ${[...conditions].join(', ')}`)
    return {service: name, condition: isCondition(condition) ? condition : 'service_started', isRequired: readBoolean(childOf(options, 'required'), problems) ?? true, place: key}
  })
}

function isCondition(text: string): text is DependsCondition {
  return conditions.has(text)
}
