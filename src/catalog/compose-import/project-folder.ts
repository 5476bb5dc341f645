/** What stands at a path of the folder that a Compose file lies in. */
export type FolderEntry =
  | {readonly kind: 'text'; readonly text: string}
  /** Paths of every file under it, relative to it; cut where there are too many. */
  | {readonly kind: 'folder'; readonly files: readonly string[]; readonly isCut: boolean}
  /** Why it can not be had: outside of the folder, not a text, too large. */
  | {readonly kind: 'refused'; readonly why: string}
  | {readonly kind: 'missing'}

/** The folder of a Compose file. Paths are relative to it and never lead out of it. */
export interface ProjectFolder {
  read(path: string): FolderEntry
}

export const folderLimits = {fileBytes: 100_000, totalBytes: 400_000, files: 100} as const

/** A folder with nothing in it, for a Compose file that came over stdin. */
export const noFolder: ProjectFolder = {read: () => ({kind: 'missing'})}

/** A path without `.` and `..`; undefined where it leads out of the folder or starts at the root. */
export function insideFolder(path: string): string | undefined {
  if (path.startsWith('/') || path.startsWith('~') || path.includes('\0')) return undefined
  const steps: string[] = []
  for (const step of path.split('/')) {
    if (step === '..') {
      if (steps.pop() === undefined) return undefined
    } else if (step !== '' && step !== '.') steps.push(step)
  }
  return steps.join('/')
}

/** Counts what was taken from a folder, so that a definition stays within what a server takes. */
export class FolderBudget {
  #bytes = 0
  #files = 0

  /** Whether these files still fit; they are counted then. */
  take(texts: readonly string[]): boolean {
    const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
    if (this.#bytes + bytes > folderLimits.totalBytes || this.#files + texts.length > folderLimits.files) return false
    this.#bytes += bytes
    this.#files += texts.length
    return true
  }
}
