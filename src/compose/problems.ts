import {findClosest} from '../text/edit-distance.js'
import type {ComposeProblem} from './compose-model.js'
import type {MapNode, Place} from './tree.js'

/** What is wrong with the files of one project, each thing once. */
export class Problems {
  readonly #found = new Map<string, ComposeProblem>()
  #errors = 0

  error(place: Place, message: string): void {
    this.#add(place, message, 'error')
  }

  warn(place: Place, message: string): void {
    this.#add(place, message, 'warning')
  }

  get hasErrors(): boolean {
    return this.#errors > 0
  }

  /** In the order of the files as they were read, then from top to bottom. */
  get all(): readonly ComposeProblem[] {
    const files = [...new Set([...this.#found.values()].map(({file}) => file))]
    return [...this.#found.values()].sort((a, b) => files.indexOf(a.file) - files.indexOf(b.file) || a.line - b.line || a.column - b.column)
  }

  #add({file, line, column, path}: Place, message: string, severity: ComposeProblem['severity']): void {
    const problem = {file: file.path, line, column, path: toPointer(path), message, severity}
    const key = JSON.stringify(problem)
    if (this.#found.has(key)) return
    this.#found.set(key, problem)
    if (severity === 'error') this.#errors += 1
  }
}

function toPointer(path: Place['path']): string {
  return path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

/** Names the keys that Compose does not have at this place; they change nothing, so they are warnings. */
export function warnUnknownKeys(map: MapNode, known: Iterable<string>, problems: Problems): void {
  const names = new Set(known)
  for (const [key, entry] of map.entries) {
    if (names.has(key) || key.startsWith('x-')) continue
    const closest = findClosest(key, names)
    problems.warn(entry.key, `${key} is no key of Compose at this place and is left out; ${closest === undefined ? 'take it away, or start its name with x-' : `did you mean ${closest}?`}`)
  }
}
