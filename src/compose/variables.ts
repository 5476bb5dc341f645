import type {ReadCompose} from './compose-model.js'
import {BadReference, parseInterpolation, resolveParts, type Lookup, type UseListener} from './interpolation.js'
import type {Problems} from './problems.js'
import type {Place, TreeEntry, TreeNode} from './tree.js'

/** The variables of one project: looks them up, and keeps which ones were asked for. */
export class Variables {
  readonly #uses = new Map<string, {given: boolean; hasDefault: boolean}>()
  readonly #values: ReadonlyMap<string, string>

  constructor(
    values: Iterable<readonly [string, string]>,
    private readonly problems: Problems,
    private readonly parent?: Variables,
  ) {
    this.#values = new Map(values)
  }

  readonly lookup: Lookup = (name) => this.#values.get(name)

  /** The same with values for what has none, as an included file brings them along. Uses are kept together. */
  withDefaults(defaults: ReadonlyMap<string, string>): Variables {
    return new Variables([...defaults, ...this.#values], this.problems, this)
  }

  used(name: string, {given, hasDefault}: {readonly given: boolean; readonly hasDefault: boolean}): void {
    if (this.parent !== undefined) {
      this.parent.used(name, {given, hasDefault})
      return
    }
    const before = this.#uses.get(name)
    this.#uses.set(name, {given: given || before?.given === true, hasDefault: hasDefault && before?.hasDefault !== false})
  }

  /** The value of a variable that a file names without saying how it gets one, as in `environment: [TOKEN]`. */
  take(name: string): string | undefined {
    const value = this.lookup(name)
    this.used(name, {given: value !== undefined, hasDefault: false})
    return value
  }

  get uses(): ReadCompose['variables'] {
    return [...this.#uses].map(([name, use]) => ({name, ...use})).sort((a, b) => (a.name < b.name ? -1 : 1))
  }

  replaceIn(text: string, place: Place): string {
    if (!text.includes('$')) return text
    const listener: UseListener = {
      used: (name, use) => {
        this.used(name, use)
        if (!use.given && !use.hasDefault && !use.isRequired) this.problems.warn(place, `the variable ${name} has no value and becomes an empty text; set it, or write a default: \${${name}:-…}`)
      },
      required: (name, message) => this.problems.error(place, `the variable ${name} needs a value${message === '' ? '' : `: ${message}`}`),
    }
    try {
      return resolveParts(parseInterpolation(text), this.lookup, listener)
    } catch (error) {
      if (!(error instanceof BadReference)) throw error
      this.problems.error(place, error.message)
      return text
    }
  }
}

/** The tree with the references in its values replaced; keys stay as they are. */
export function replaceInTree(node: TreeNode, variables: Variables): TreeNode {
  switch (node.kind) {
    case 'null':
      return node
    case 'text': {
      const text = variables.replaceIn(node.text, node.place)
      return text === node.text ? node : {...node, text}
    }
    case 'list':
      return {...node, items: node.items.map((item) => replaceInTree(item, variables))}
    case 'map':
      return {...node, entries: new Map([...node.entries].map(([key, entry]): [string, TreeEntry] => [key, {...entry, value: replaceInTree(entry.value, variables)}]))}
  }
}
