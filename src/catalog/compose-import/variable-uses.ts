import type {Reference} from '../../compose/interpolation.js'
import type {DraftService, Parts} from './draft-service.js'

/** Where one variable stands in the services. */
export interface VariableUses {
  readonly name: string
  readonly references: readonly Reference[]
  /** In the order of the file, each once. */
  readonly services: readonly string[]
}

/** Every variable that needs a value in the end, in the order in which they first stand in the file. */
export function findUses(services: readonly DraftService[]): ReadonlyMap<string, VariableUses> {
  const uses = new Map<string, {name: string; references: Reference[]; services: string[]}>()
  for (const service of services) {
    for (const reference of textsOf(service).flatMap(referencesIn)) {
      const found = uses.get(reference.name) ?? {name: reference.name, references: [], services: []}
      found.references.push(reference)
      if (!found.services.includes(service.name)) found.services.push(service.name)
      uses.set(reference.name, found)
    }
  }
  return uses
}

function textsOf({environment, command, entrypoint, test, files}: DraftService): Parts[] {
  return [...environment.map(({parts}) => parts), ...[command, entrypoint, test].flatMap((words) => words?.words ?? []), ...files.map(({parts}) => parts)]
}

function referencesIn(parts: Parts): Reference[] {
  return parts.flatMap((part) => (typeof part === 'string' ? [] : [part, ...referencesIn(part.argument)]))
}

/** The only reference of a text that is nothing else. */
export function wholeReference(parts: Parts): Reference | undefined {
  const [only] = parts
  return parts.length === 1 && typeof only === 'object' ? only : undefined
}

/** A text without references. */
export function literalText(parts: Parts): string | undefined {
  return parts.every((part) => typeof part === 'string') ? parts.join('') : undefined
}
