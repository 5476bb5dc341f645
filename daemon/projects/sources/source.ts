import type {Readable} from 'node:stream'
import type {RepositoryBranch, RepositoryCommit} from '../../../src/contract/repositories.js'
import type {CommitLook, RemoteLook} from './git/browse-remote.js'

/** A file of a tree that can be asked for its content before the next one is taken. */
export interface TreeFile {
  /** From the folder that was asked for; of a single file its name. */
  readonly path: string
  readonly mode: number
  readonly size: number
  content(): AsyncIterable<Uint8Array>
}

/** A tree of files to deploy: a commit, an unpacked upload, a folder of this machine, or files of an app definition. */
export interface SourceTree {
  readonly kind: 'git' | 'upload' | 'folder' | 'app'
  readonly commitSha: string | null
  readonly commitMessage: string | null
  readonly branch: string | null
  /** Content identity: the same for the same files. */
  readonly treeId: string
  /** Text of a file, undefined where there is none; throws COMPOSE_INVALID for one that is larger. Never follows a link out of the tree. */
  readText(path: string, maxBytes: number): Promise<string | undefined>
  /** Whether there is a file or folder. */
  has(path: string): Promise<'file' | 'folder' | undefined>
  /** Paths of all files below a folder, however deep, from the top of the tree and in order; without folders. */
  list(folder: string): Promise<readonly string[]>
  /** The file at a path, or all files below a folder, whatever `.dockerignore` says. A link to a file gives what it leads to; nothing outside of the tree is read. */
  files(path: string, signal: AbortSignal): AsyncGenerator<TreeFile>
  /** A tar stream of a folder as a build context, `.dockerignore` applied, bounded memory. A text goes along as the Dockerfile, in the place of a file of that path. */
  pack(folder: string, options: {readonly dockerfile: string; readonly dockerfileText?: string | undefined; readonly signal: AbortSignal}): Readable
  /** Content identity of what `pack` would give: a change of anything that `.dockerignore` leaves out does not show in it. */
  contextId(folder: string, options: {readonly dockerfile: string}): Promise<string>
  /** Paths that differ from an earlier commit, with old names of renames; null where that can not be told. */
  changedSince(commitSha: string, signal: AbortSignal): Promise<readonly string[] | null>
  dispose(): Promise<void>
}

export interface GitAccess {
  readonly url: string
  /** OpenSSH private key. */
  readonly deployKey: string | null
  readonly username: string | null
  readonly password: string | null
}

export interface GitRequest {
  readonly projectId: string
  readonly access: GitAccess
  /** Null is the default branch. */
  readonly branch: string | null
  /** Full or short; null is the head of the branch. */
  readonly commitSha: string | null
  readonly submodules: boolean
  readonly signal: AbortSignal
  readonly onLine: (line: string) => void
}

/** Faults: SOURCE_UNAVAILABLE with a message that says which of host, login, repository, branch, commit or submodule it is. */
export interface Sources {
  fetchGit(request: GitRequest): Promise<SourceTree>
  /** The branches of a repository as its host has them now. */
  listBranches(look: RemoteLook): Promise<RepositoryBranch[]>
  /** The last commits of a branch, newest first. */
  listCommits(look: CommitLook): Promise<RepositoryCommit[]>
  openUpload(sessionId: string, organizationId: string, signal: AbortSignal): Promise<SourceTree>
  openFolder(path: string, signal: AbortSignal): Promise<SourceTree>
  /** Files held in memory, as those of inline builds: path to content. */
  openFiles(files: Readonly<Record<string, string>>): SourceTree
  /** Frees what a project has kept: mirrors and uploads. */
  forget(projectId: string): Promise<void>
}
