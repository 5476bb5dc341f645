import type {JsonPath} from '../json-tree.js'
import {readDefinition} from '../read-definition.js'
import type {ImportNotes} from './import-notes.js'

const mostRounds = 50

/** Takes out what the gate would refuse, telling each, so that an import is a definition whatever the Compose file held. */
export function settleDefinition<T extends object>(definition: T, notes: ImportNotes): T {
  const settled = structuredClone(definition)
  for (let round = 0; round < mostRounds; round += 1) {
    const [issue] = readDefinition(settled).issues
    if (issue === undefined) return settled
    const service = issue.path[0] === 'services' ? nameAt(settled, issue.path) : null
    notes.add({level: 'lost', service, key: String(issue.path.at(-1) ?? ''), why: `it ${issue.message}`, todo: 'shorten or correct it'})
    remove(settled, issue.path)
  }
  return settled
}

function nameAt(definition: object, path: JsonPath): string | null {
  const service = at(definition, path.slice(0, 2))
  return isHolder(service) && 'name' in service ? String(service.name) : null
}

// What is not there can only be missed by what holds it, so that goes instead.
function remove(root: object, path: JsonPath): void {
  const parent = at(root, path.slice(0, -1))
  const last = path.at(-1)
  if (last === undefined) return
  if (!isHolder(parent) || !Object.hasOwn(parent, last)) remove(root, path.slice(0, -1))
  else if (Array.isArray(parent)) parent.splice(Number(last), 1)
  else Reflect.deleteProperty(parent, last)
}

function at(root: object, path: JsonPath): unknown {
  return path.reduce<unknown>((holder, step) => (isHolder(holder) ? Reflect.get(holder, step) : undefined), root)
}

function isHolder(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
