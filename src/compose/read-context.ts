import type {ReadComposeOptions} from './compose-model.js'
import type {Problems} from './problems.js'
import type {MapNode, Place} from './tree.js'
import type {Variables} from './variables.js'

/** What reading one service needs of the rest of the project. */
export interface ReadContext {
  readonly problems: Problems
  readonly variables: Variables
  readonly readText: ReadComposeOptions['readText']
  /** Top of the project: declared resources by kind and name. */
  readonly declared: (kind: 'volumes' | 'networks' | 'secrets' | 'configs') => ReadonlyMap<string, MapNode>
}

/** The value of a variable that stands at a place without more. */
export function takeVariable(name: string, place: Place, {variables}: ReadContext): string | undefined {
  return (place.file.variables ?? variables).take(name)
}
