import type {ContentReader} from '../indexed-tree.js'
import {findLfsPointers} from './lfs-pointers.js'
import type {CommitList, GitEntry} from './list-commit.js'

export interface MissingWarning {
  readonly openReader: (signal: AbortSignal) => ContentReader<GitEntry>
  readonly onLine: (line: string) => void
  readonly signal: AbortSignal
  readonly submodules: boolean
}

/** Says what of a commit is not in the tree as its author has it on disk. */
export async function warnOfMissing({links, unreadable}: CommitList, entries: readonly GitEntry[], {openReader, onLine, signal, submodules}: MissingWarning): Promise<void> {
  const reader = openReader(signal)
  const pointers = await findLfsPointers(entries, reader).finally(() => reader.close())
  if (pointers.length > 0) onLine(`warning: ${pointers.length} files are Git LFS pointers without their contents: ${shortList(pointers)}`)
  if (!submodules && links.length > 0) onLine(`warning: ${links.length} submodules are left out, as the project does not ask for them: ${shortList(links.map((link) => link.path))}`)
  if (unreadable.length > 0) onLine(`warning: ${unreadable.length} files are left out, as their names are not UTF-8: ${shortList(unreadable)}`)
}

function shortList(paths: readonly string[]): string {
  return paths.length <= 3 ? paths.join(', ') : `${paths.slice(0, 3).join(', ')} and ${paths.length - 3} more`
}
