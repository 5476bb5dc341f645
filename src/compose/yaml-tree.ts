import {isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, Scalar, visit, type Alias, type Document, type Node, type YAMLMap} from 'yaml'
import {readPlainScalar} from './plain-scalar.js'
import type {Problems} from './problems.js'
import {isDeeperThan} from './yaml-depth.js'
import type {MapNode, MergeTag, Place, SourceFile, TreeEntry, TreeNode} from './tree.js'

const limits = {bytes: 1_000_000, values: 50_000, depth: 50, errors: 20} as const
/** A level of ours may be several of the text: a key beside a mark, an indented value. */
const levelsOfText = 4 * limits.depth

/** Reads a YAML text as a map, anchors, aliases and merge keys followed. Undefined, with problems, where it is none. Never throws, whatever the text. */
export function parseYamlTree(text: string, file: SourceFile, problems: Problems): MapNode | undefined {
  const top: Place = {file, line: 1, column: 1, path: []}
  if (Buffer.byteLength(text) > limits.bytes) {
    problems.error(top, `the file is larger than ${limits.bytes.toLocaleString('en')} bytes`)
    return undefined
  }
  try {
    return readTree(text, file, problems)
  } catch (error) {
    // Nesting so deep that the parser ran out of stack.
    problems.error(top, error instanceof TooMuch ? error.message : 'the file can not be read as YAML')
    return undefined
  }
}

class TooMuch extends Error {}

const tooDeep = `the file is nested deeper than ${limits.depth} levels, or an alias stands within its own anchor`

function readTree(text: string, file: SourceFile, problems: Problems): MapNode | undefined {
  if (isDeeperThan(text, levelsOfText)) throw new TooMuch(tooDeep)
  const lines = new LineCounter()
  // All scalars stay texts here: the library's own reading of numbers is not that of Compose.
  const document = parseDocument(text, {schema: 'failsafe', lineCounter: lines, uniqueKeys: false, logLevel: 'silent', prettyErrors: false})
  const at = (offset: number, path: Place['path'] = []): Place => {
    const {line, col} = lines.linePos(offset)
    return {file, line: Math.max(line, 1), column: Math.max(col, 1), path}
  }
  for (const error of document.errors.slice(0, limits.errors)) problems.error(at(error.pos[0]), `this is no YAML: ${error.message.split('\n', 1)[0] ?? ''}`)
  if (document.errors.length > 0) return undefined
  const root = document.contents === null ? undefined : new TreeReader(document, problems, at).read(document.contents, {path: [], depth: 0})
  if (root?.kind === 'map') return root
  problems.error(at(0), 'a Compose file is a map with the key services')
  return undefined
}

interface Spot {
  readonly path: Place['path']
  readonly depth: number
}

/** Turns the nodes of the library into ours. Aliases are copied, so the number of values is bounded. */
class TreeReader {
  #values = 0
  readonly #targets: ReadonlyMap<Alias, Node>

  constructor(
    document: Document,
    private readonly problems: Problems,
    private readonly at: (offset: number, path: Place['path']) => Place,
  ) {
    this.#targets = findTargets(document)
  }

  read(node: unknown, {path, depth}: Spot): TreeNode {
    if (isAlias(node)) return this.#readAlias(node, {path, depth})
    this.#values += 1
    if (this.#values > limits.values) throw new TooMuch(`with its aliases the file has more than ${limits.values.toLocaleString('en')} values`)
    if (depth > limits.depth) throw new TooMuch(tooDeep)
    const place = this.#place(node as Node, path)
    const tag = tagOf(node as Node)
    const tagged = {place, ...(tag !== undefined && {tag})}
    if (isMap(node)) return {kind: 'map', ...tagged, entries: this.#readEntries(node, {path, depth})}
    if (isSeq(node)) return {kind: 'list', ...tagged, items: node.items.map((item, index) => this.read(item, {path: [...path, index], depth: depth + 1}))}
    return {...readScalar(node), ...tagged}
  }

  #place(node: Node | null, path: Place['path']): Place {
    return this.at(node?.range?.[0] ?? 0, path)
  }

  #readAlias(alias: Alias, spot: Spot): TreeNode {
    const target = this.#targets.get(alias)
    if (target !== undefined) return this.read(target, {...spot, depth: spot.depth + 1})
    this.problems.error(this.#place(alias, spot.path), `there is no anchor &${alias.source} before this alias`)
    return {kind: 'null', place: this.#place(alias, spot.path)}
  }

  #readEntries(map: YAMLMap, {path, depth}: Spot): ReadonlyMap<string, TreeEntry> {
    const own = new Map<string, TreeEntry>()
    const merged = new Map<string, TreeEntry>()
    for (const pair of map.items) {
      const key = pair.key as Node
      if (!isScalar(key)) {
        this.problems.error(this.#place(key, path), 'a key must be a text')
        continue
      }
      const name = String(key.value)
      const place = this.#place(key, [...path, name])
      const value = this.read(pair.value ?? emptyAt(key), {path: [...path, name], depth: depth + 1})
      if (name === '<<' && key.type === Scalar.PLAIN) this.#mergeKey(value, merged)
      else if (own.has(name)) this.problems.error(place, `the key ${name} is there twice; keep one`)
      else own.set(name, {key: place, value})
    }
    // Own keys win wherever the merge key stands, and keep their order.
    return new Map([...own, ...[...merged].filter(([name]) => !own.has(name))])
  }

  #mergeKey(value: TreeNode, merged: Map<string, TreeEntry>): void {
    for (const source of value.kind === 'list' ? value.items : [value]) {
      if (source.kind !== 'map') {
        this.problems.error(source.place, 'a merge key << takes a map or a list of maps')
        continue
      }
      // Of several maps the first one wins.
      for (const [name, entry] of source.entries) if (!merged.has(name)) merged.set(name, entry)
    }
  }
}

// In one pass: the library would search the document again for every alias.
function findTargets(document: Document): ReadonlyMap<Alias, Node> {
  const anchors = new Map<string, Node>()
  const targets = new Map<Alias, Node>()
  visit(document, {
    Node(_, node) {
      if (isAlias(node)) {
        const target = anchors.get(node.source)
        if (target !== undefined) targets.set(node, target)
      } else if (node.anchor !== undefined) anchors.set(node.anchor, node)
    },
  })
  return targets
}

function emptyAt(key: Scalar): Scalar {
  const scalar = new Scalar('')
  scalar.type = Scalar.PLAIN
  if (key.range != null) scalar.range = key.range
  return scalar
}

function readScalar(node: unknown): {readonly kind: 'null'} | {readonly kind: 'text'; readonly text: string; readonly written?: string} {
  if (!isScalar(node)) return {kind: 'null'}
  const written = String(node.value ?? '')
  if (node.type !== Scalar.PLAIN || node.tag === 'tag:yaml.org,2002:str') return {kind: 'text', text: written}
  const text = readPlainScalar(written)
  if (text === null) return {kind: 'null'}
  return {kind: 'text', text, ...(text !== written && {written})}
}

function tagOf(node: Node): MergeTag | undefined {
  if (node.tag === '!reset') return 'reset'
  return node.tag === '!override' ? 'override' : undefined
}
