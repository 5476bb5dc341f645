import {readdir, rm, stat} from 'node:fs/promises'
import path from 'node:path'
import type {Clock} from '../../../clock.js'
import {indexedTree} from '../indexed-tree.js'
import type {GitAccess, GitRequest, SourceTree} from '../source.js'
import {sourceFault} from '../source-fault.js'
import {TreeIndex} from '../tree-index.js'
import {blobReader} from './blob-reader.js'
import {fetchCommit, findCommit, type FindParts, type FoundCommit} from './find-commit.js'
import {openAccess, type AccessFolders} from './git-access.js'
import {fullCommit, parseGitAddress} from './git-address.js'
import {MirrorDamaged} from './git-failure.js'
import {GitMirror, type MirrorLimits} from './git-mirror.js'
import type {GitProgram} from './git-program.js'
import {GitRemote, type RemoteLimits} from './git-remote.js'
import {KeyedLock} from './keyed-lock.js'
import {listCommit, type GitEntry} from './list-commit.js'
import {listSubmodules, type ListedCommit} from './list-submodules.js'
import {warnOfMissing} from './warn-of-missing.js'

export interface GitLimits extends RemoteLimits, MirrorLimits {
  readonly mostEntries: number
}

export interface GitSourceParts {
  readonly git: GitProgram
  readonly clock: Clock
  /** One folder a project, one repository in it for each address. */
  readonly mirrors: string
  readonly folders: AccessFolders
  readonly limits: GitLimits
}

interface Held extends ListedCommit {
  readonly branch: string | null
  readonly release: () => void
}

type Task = Pick<GitRequest, 'projectId' | 'onLine' | 'signal'>

/** Trees out of git repositories of any host. */
export class GitSource {
  readonly #parts: GitSourceParts
  readonly #lock = new KeyedLock()
  readonly #mirrors = new Map<string, GitMirror>()

  constructor(parts: GitSourceParts) {
    this.#parts = parts
  }

  async fetch(request: GitRequest): Promise<SourceTree> {
    const {signal, onLine, submodules} = request
    const held: Held[] = []
    const release = () => held.forEach((each) => each.release())
    try {
      onLine(`fetching ${parseGitAddress(request.access.url).url}`)
      const top = await this.#obtain(request, {access: request.access, prefix: ''}, (parts) => findCommit(parts, request, signal))
      held.push(top)
      const obtain = async (access: GitAccess, {commit, prefix}: {commit: string; prefix: string}) => {
        const found = await this.#obtain(request, {access, prefix}, async (parts) => {
          await fetchCommit(parts, commit, signal)
          return {commit, branch: null}
        })
        held.push(found)
        return found
      }
      const inner = submodules ? await listSubmodules({git: this.#parts.git, obtain, onLine}, top, signal) : []
      return await this.#toTree(request, {top, entries: [...top.entries, ...inner], release})
    } catch (error) {
      release()
      signal.throwIfAborted()
      throw error
    }
  }

  /** Throws away what is kept of the repositories of a project. */
  async forget(projectId: string): Promise<void> {
    const folder = this.#folderOf(projectId)
    await rm(folder, {recursive: true, force: true})
    for (const gitDir of this.#mirrors.keys()) if (path.dirname(gitDir) === folder) this.#mirrors.delete(gitDir)
  }

  /** Throws away mirrors of projects that are gone, and those that nobody has asked for in a long time: another address, or a submodule that is used no more. */
  async prune(isThere: (projectId: string) => Promise<boolean>): Promise<void> {
    const {mirrors, clock} = this.#parts
    for (const projectId of await readdir(mirrors)) {
      if (!(await isThere(projectId))) {
        await this.forget(projectId)
        continue
      }
      for (const name of await readdir(path.join(mirrors, projectId))) {
        const gitDir = path.join(mirrors, projectId, name)
        await this.#lock.run(gitDir, neverAborted, async () => {
          if (this.#mirrors.get(gitDir)?.isHeld !== true && clock.now() - (await lastUse(gitDir)) > longestIdleMs) await rm(gitDir, {recursive: true, force: true})
        })
      }
    }
  }

  // With the mirror locked. What is damaged is fetched anew, once.
  async #obtain(task: Task, {access, prefix}: {access: GitAccess; prefix: string}, find: (parts: FindParts) => Promise<FoundCommit>): Promise<Held> {
    const {git, clock, limits, folders} = this.#parts
    const {projectId, onLine, signal} = task
    const opened = await openAccess(access, folders)
    try {
      const remote = new GitRemote({git, clock, limits, access: opened, projectId})
      const mirror = this.#mirrorOf(projectId, remote.url)
      const attempt = async () => {
        await mirror.prepare(signal)
        const {commit, branch} = await find({git, remote, mirror, temporary: folders.temporary, onLine})
        const list = await listCommit({git, gitDir: mirror.gitDir, commit, mostEntries: limits.mostEntries, prefix}, signal)
        return {...list, gitDir: mirror.gitDir, commit, branch, access, prefix, release: await mirror.hold(commit, signal)}
      }
      return await this.#lock.run(mirror.gitDir, signal, () =>
        attempt().catch(async (error: unknown) => {
          signal.throwIfAborted()
          if (!(error instanceof MirrorDamaged)) throw error
          await mirror.reset()
          return attempt().catch(giveUp)
        }),
      )
    } finally {
      await opened.close()
    }
  }

  async #toTree(request: GitRequest, {top, entries, release}: {top: Held; entries: readonly GitEntry[]; release: () => void}): Promise<SourceTree> {
    const {git} = this.#parts
    const {signal, onLine} = request
    const openReader = (reading: AbortSignal) => blobReader(git, reading)
    await warnOfMissing(top, entries, {openReader, onLine, signal, submodules: request.submodules})
    const [treeId, commitMessage] = await Promise.all([this.#ask(top, ['rev-parse', `${top.commit}^{tree}`], signal), this.#ask(top, ['log', '-1', '--no-show-signature', '--format=%B', top.commit], signal)])
    return indexedTree<GitEntry>({
      kind: 'git', commitSha: top.commit, commitMessage: commitMessage.trim().slice(0, longestMessage), branch: top.branch,
      treeId: `git:${treeId.trim()}${request.submodules && top.links.length > 0 ? '+submodules' : ''}`,
      index: new TreeIndex(entries),
      openReader,
      changedSince: (commitSha, asked) => this.#changedSince(request, {top, entries}, {commitSha, signal: asked}),
      dispose: async () => release(),
    })
  }

  // Old and new names of what was renamed, as both differ. What is below a submodule that moved on differs as a whole.
  async #changedSince(request: GitRequest, {top, entries}: {top: Held; entries: readonly GitEntry[]}, {commitSha, signal}: {commitSha: string; signal: AbortSignal}): Promise<readonly string[] | null> {
    if (!fullCommit.test(commitSha)) return null
    try {
      const before = await this.#obtain({...request, signal}, {access: request.access, prefix: ''}, async (parts) => {
        await fetchCommit(parts, commitSha, signal)
        return {commit: commitSha, branch: null}
      })
      before.release()
      const text = await this.#ask(top, ['diff-tree', '-r', '-z', '--no-renames', '--name-only', before.commit, top.commit], signal)
      const changed = text.split('\0').filter((name) => name !== '')
      const moved = top.links.filter((link) => changed.includes(link.path))
      return [...changed, ...entries.filter((entry) => moved.some((link) => entry.path.startsWith(`${link.path}/`))).map((entry) => entry.path)]
    } catch {
      // A commit that nobody has any more is no failure: everything may have changed.
      signal.throwIfAborted()
      return null
    }
  }

  async #ask({gitDir}: Held, args: readonly string[], signal: AbortSignal): Promise<string> {
    const {exitCode, stdout, stderr} = await this.#parts.git.run({args, gitDir, signal})
    if (exitCode !== 0) throw sourceFault('other', `git ${args[0] ?? ''} failed: ${stderr.trim()}`)
    return stdout.toString('utf8')
  }

  #mirrorOf(projectId: string, url: string): GitMirror {
    const {git, clock, limits} = this.#parts
    const made = new GitMirror({git, clock, limits, folder: this.#folderOf(projectId)}, url)
    const known = this.#mirrors.get(made.gitDir) ?? made
    this.#mirrors.set(known.gitDir, known)
    return known
  }

  #folderOf(projectId: string): string {
    if (!/^[A-Za-z0-9_-]+$/.test(projectId)) throw new TypeError('a project id names a folder here')
    return path.join(this.#parts.mirrors, projectId)
  }
}

const longestMessage = 10_000

function giveUp(error: unknown): never {
  throw error instanceof MirrorDamaged ? sourceFault('other', `the repository can not be kept: ${error.message}`, {cause: error}) : error
}

const longestIdleMs = 30 * 24 * 60 * 60_000
const neverAborted = new AbortController().signal

// Each use writes a name of its own there.
async function lastUse(gitDir: string): Promise<number> {
  const {mtimeMs} = await stat(path.join(gitDir, 'refs', 'moorage', 'used')).catch(() => stat(gitDir))
  return mtimeMs
}
