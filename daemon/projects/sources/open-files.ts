import {createHash} from 'node:crypto'
import {foldersAbove, toEntryPath} from '../../../src/tree/entry-path.js'
import {indexedTree} from './indexed-tree.js'
import type {SourceTree} from './source.js'
import {sourceFault} from './source-fault.js'
import {identityOf, TreeIndex, type IndexEntry} from './tree-index.js'

interface TextEntry extends IndexEntry {
  readonly bytes: Buffer
}

/** A tree of files that are held in memory. Texts that begin with `#!` may be run. */
export function openFiles(files: Readonly<Record<string, string>>): SourceTree {
  const entries = Object.entries(files).map(([name, text]) => toEntry(name, text))
  refuseClash(entries)
  const index = new TreeIndex(entries)
  return indexedTree<TextEntry>({
    kind: 'app', commitSha: null, commitMessage: null, branch: null, treeId: `files:${identityOf(index.entries)}`, index,
    openReader: () => ({read: async function* (entry) {
      yield entry.bytes
    }, close: async () => undefined}),
    changedSince: async () => null,
    dispose: async () => undefined,
  })
}

function toEntry(name: string, text: string): TextEntry {
  const named = toEntryPath(name)
  if ('fault' in named || named.path === '') throw sourceFault('folder', `${JSON.stringify(name)} can not be the path of a file`, {details: {path: name}})
  const bytes = Buffer.from(text)
  return {
    path: named.path, type: 'file', mode: text.startsWith('#!') ? 0o755 : 0o644, size: bytes.length,
    contentId: createHash('sha256').update(bytes).digest('hex'), bytes,
  }
}

function refuseClash(entries: readonly TextEntry[]): void {
  const paths = new Set(entries.map(({path}) => path))
  const clash = paths.size < entries.length ? 'a path' : entries.flatMap(({path}) => foldersAbove(path)).find((folder) => paths.has(folder))
  if (clash !== undefined) throw sourceFault('folder', `${clash} is there twice among the files`)
}
