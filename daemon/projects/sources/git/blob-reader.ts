import type {ContentReader} from '../indexed-tree.js'
import {GitBlobs} from './git-blobs.js'
import type {GitProgram} from './git-program.js'
import type {GitEntry} from './list-commit.js'

/** One process for each repository that contents are read from. */
export function blobReader(git: GitProgram, signal: AbortSignal): ContentReader<GitEntry> {
  const opened = new Map<string, GitBlobs>()
  return {
    read({gitDir, contentId}) {
      const blobs = opened.get(gitDir) ?? new GitBlobs(git, gitDir, signal)
      opened.set(gitDir, blobs)
      return blobs.read(contentId)
    },
    async close() {
      await Promise.all([...opened.values()].map((blobs) => blobs.close()))
    },
  }
}
