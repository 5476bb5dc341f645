import {mkdtemp, rm} from 'node:fs/promises'
import path from 'node:path'
import type {RepositoryBranch, RepositoryCommit} from '../../../../src/contract/repositories.js'
import type {GitAccess} from '../source.js'
import {sourceFault} from '../source-fault.js'
import type {GitSourceParts} from './fetch-git.js'
import {noBranch} from './find-commit.js'
import {openAccess} from './git-access.js'
import {isBranchName} from './git-address.js'
import {MirrorDamaged} from './git-failure.js'
import {GitRemote, type RemoteLimits} from './git-remote.js'

export interface RemoteLook {
  readonly projectId: string
  readonly access: GitAccess
  readonly signal: AbortSignal
}

export interface CommitLook extends RemoteLook {
  /** Null is the default branch. */
  readonly branch: string | null
  readonly most: number
}

export type BrowseParts = Pick<GitSourceParts, 'git' | 'clock' | 'folders'>

/** Somebody looks at a page meanwhile. */
const limits: RemoteLimits = {listMs: 10_000, fetchMs: 15_000}

/** The branches of a repository as its host has them now, by name. */
export async function listBranches(parts: BrowseParts, look: RemoteLook): Promise<RepositoryBranch[]> {
  const heads = await withRemote(parts, look, (remote) => remote.heads(look.signal))
  return heads.map(({name, commit}) => ({name, sha: commit, protected: false}))
}

/** The last commits of a branch, newest first, without any of their files. */
export async function listCommits(parts: BrowseParts, look: CommitLook): Promise<RepositoryCommit[]> {
  const {branch, most, signal} = look
  if (branch !== null && !isBranchName(branch)) throw sourceFault('branch', `${JSON.stringify(branch)} can not be the name of a branch`, {details: {branch}})
  return withRemote(parts, look, async (remote) => {
    const refs = await remote.refs(branch, signal)
    if (branch !== null && refs.branch === null) throw noBranch(remote, branch, refs)
    if (branch === null && refs.head === null) return []
    const {git, folders} = parts
    const gitDir = await mkdtemp(path.join(folders.temporary, 'look-'))
    try {
      await git.run({args: ['init', '--quiet', '--bare', '--template=', gitDir], signal})
      await remote.fetch({gitDir, refspecs: [`+${branch === null ? 'HEAD' : `refs/heads/${branch}`}:refs/heads/seen`], depth: most, filter: 'tree:0'}, signal)
      const {exitCode, stdout, stderr} = await git.run({args: ['log', '-z', '--no-show-signature', `--max-count=${most}`, '--format=%H%x1f%an%x1f%aI%x1f%s', 'refs/heads/seen'], gitDir, signal})
      if (exitCode !== 0) throw sourceFault('other', `${remote.url}: git log failed: ${stderr.trim()}`)
      return stdout.toString('utf8').split('\0').filter((line) => line !== '').map(toCommit)
    } finally {
      await rm(gitDir, {recursive: true, force: true})
    }
  })
}

function toCommit(line: string): RepositoryCommit {
  const [sha = '', author = '', date = '', ...subject] = line.split('\x1f')
  return {sha, message: subject.join('\x1f'), author, date}
}

async function withRemote<T>({git, clock, folders}: BrowseParts, {access, projectId}: RemoteLook, work: (remote: GitRemote) => Promise<T>): Promise<T> {
  const opened = await openAccess(access, folders)
  try {
    return await work(new GitRemote({git, clock, limits, access: opened, projectId}))
  } catch (error) {
    // There is no mirror here: what was fetched into a new folder is broken where it came from.
    throw error instanceof MirrorDamaged ? sourceFault('other', `${opened.address.url}: ${error.message}`, {cause: error}) : error
  } finally {
    await opened.close()
  }
}
