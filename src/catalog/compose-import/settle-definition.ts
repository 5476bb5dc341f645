import type {JsonPath} from '../json-tree.js'
import {lintDefinition} from '../lint/lint-definition.js'
import type {ImportNotes} from './import-notes.js'

const mostRounds = 100

/** Takes out what the linter calls an error, telling each, so that an import is a definition whatever the Compose file held. */
export function settleDefinition<T extends object>(definition: T, notes: ImportNotes): T {
  const settled = structuredClone(definition)
  for (let round = 0; round < mostRounds; round += 1) {
    const error = lintDefinition(JSON.stringify(settled)).findings.find(({severity}) => severity === 'error')
    if (error === undefined) return settled
    const path = fromPointer(error.path)
    const service = path[0] === 'services' ? nameAt(settled, path) : null
    notes.add({level: 'lost', service, key: String(path.at(-1) ?? ''), why: error.message, todo: 'correct it'})
    remove(settled, path)
  }
  return settled
}

function fromPointer(pointer: string): JsonPath {
  return pointer.split('/').slice(1).map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
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
