import {systemCode} from '../../../store/disk.js'
import {indexedTree} from '../indexed-tree.js'
import type {SourceTree} from '../source.js'
import {sourceFault} from '../source-fault.js'
import {identityOf, TreeIndex} from '../tree-index.js'
import {readContent, readIndex, type ArchiveEntry} from './archive-format.js'

/** The tree of an upload that was taken in. */
export async function openArchive(folder: string, signal: AbortSignal): Promise<SourceTree> {
  const index = new TreeIndex<ArchiveEntry>(await readIndex(folder, signal).catch((error: unknown) => {
    signal.throwIfAborted()
    throw systemCode(error) === 'ENOENT' ? sourceFault('upload', 'the upload is not kept any more; send the folder again', {suggestions: ['deploy .'], cause: error}) : error
  }))
  return indexedTree({
    kind: 'upload', commitSha: null, commitMessage: null, branch: null, treeId: `upload:${identityOf(index.entries)}`, index,
    openReader: (reading) => ({read: (entry) => readContent(folder, entry, reading), close: async () => undefined}),
    changedSince: async () => null,
    dispose: async () => undefined,
  })
}
