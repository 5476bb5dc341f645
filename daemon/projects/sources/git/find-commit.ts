import {mkdtemp, rm} from 'node:fs/promises'
import path from 'node:path'
import {reasonOf, sourceFault} from '../source-fault.js'
import {fullCommit, isBranchName, shortCommit} from './git-address.js'
import {fetchedRef, type GitMirror} from './git-mirror.js'
import type {GitProgram} from './git-program.js'
import type {GitRemote, RemoteRefs} from './git-remote.js'

export interface CommitWish {
  /** Null is the default branch. */
  readonly branch: string | null
  /** Full or short; null is the end of the branch. */
  readonly commitSha: string | null
}

export interface FoundCommit {
  /** All 40 digits. */
  readonly commit: string
  readonly branch: string | null
}

export interface FindParts {
  readonly git: GitProgram
  readonly remote: GitRemote
  readonly mirror: GitMirror
  /** For what is looked up and thrown away. */
  readonly temporary: string
  readonly onLine: (line: string) => void
}

/** Finds the commit that is asked for, and sees to it that the mirror holds it with all of its files. */
export async function findCommit(parts: FindParts, wish: CommitWish, signal: AbortSignal): Promise<FoundCommit> {
  const asked = wish.commitSha?.toLowerCase() ?? null
  if (asked !== null && !fullCommit.test(asked) && !shortCommit.test(asked)) throw noCommit(parts.remote, wish.commitSha ?? '', 'is no commit id')
  if (wish.branch !== null && !isBranchName(wish.branch)) throw sourceFault('branch', `${JSON.stringify(wish.branch)} can not be the name of a branch`, {details: {branch: wish.branch}})
  const refs = await parts.remote.refs(wish.branch, signal)
  const branch = wish.branch ?? refs.defaultBranch
  const head = wish.branch === null ? refs.head : refs.branch
  if (asked === null) return {branch, commit: await fetchHead(parts, {refs, branch, head, isNamed: wish.branch !== null}, signal)}
  if (head === null && wish.branch !== null) parts.onLine(`the branch ${wish.branch} is not there any more; the commit ${asked} is looked for all the same`)
  const commit = fullCommit.test(asked) ? asked : await completeId(parts, asked, head, signal)
  await fetchCommit(parts, commit, signal)
  return {branch, commit}
}

interface Head {
  readonly refs: RemoteRefs
  readonly branch: string | null
  readonly head: string | null
  /** Whether somebody asked for this branch. */
  readonly isNamed: boolean
}

async function fetchHead({remote, mirror}: FindParts, {refs, branch, head, isNamed}: Head, signal: AbortSignal): Promise<string> {
  if (head === null) throw isNamed ? noBranch(remote, branch ?? '', refs) : sourceFault('empty', `${remote.url}: the repository holds no commit yet`, {details: {url: remote.url}})
  if (await mirror.has(head, signal)) return head
  await mirror.fetch(remote, {refspecs: [`+${branch === null ? 'HEAD' : `refs/heads/${branch}`}:${fetchedRef}`], depth: 1}, signal)
  // The branch may have moved on since it was asked for.
  return (await mirror.resolve(fetchedRef, signal)) ?? head
}

/** What is wrong with the name of a branch that is not there. */
export function noBranch(remote: GitRemote, branch: string, {tag, defaultBranch}: RemoteRefs): Error {
  const details = {url: remote.url, branch, defaultBranch}
  if (tag !== null) return sourceFault('tag', `${branch} is a tag of ${remote.url}, not a branch; give its commit, ${tag}`, {details: {...details, commitSha: tag}})
  const hint = defaultBranch === null ? '' : `; its default branch is ${defaultBranch}`
  return sourceFault('branch', `${remote.url} has no branch ${branch}${hint}`, {details})
}

function noCommit(remote: GitRemote, commitSha: string, why: string): Error {
  return sourceFault('commit', `${remote.url}: ${commitSha.slice(0, 60)} ${why}`, {details: {url: remote.url, commitSha}})
}

/** Fetches one commit: alone where the host gives single commits, else with the history of all branches. */
export async function fetchCommit({remote, mirror, onLine}: Pick<FindParts, 'remote' | 'mirror' | 'onLine'>, commit: string, signal: AbortSignal): Promise<void> {
  if (await mirror.has(commit, signal)) return
  try {
    await mirror.fetch(remote, {refspecs: [`+${commit}:${fetchedRef}`], depth: 1}, signal)
    return
  } catch (error) {
    if (reasonOf(error) !== 'commit') throw error
  }
  onLine(`the host does not give the commit ${commit} alone; fetching the history of all branches`)
  await mirror.fetchHistory(remote, signal)
  if ((await mirror.resolve(commit, signal)) === undefined) throw noCommit(remote, commit, 'is on no branch of the repository')
}

/** The full id of a short one. Looks at the history of all branches, without any files where the host can leave them out. */
async function completeId({git, remote, temporary, onLine}: FindParts, short: string, head: string | null, signal: AbortSignal): Promise<string> {
  if (head?.startsWith(short) === true) return head
  onLine(`looking for the commit ${short} in the history of all branches`)
  const gitDir = await mkdtemp(path.join(temporary, 'history-'))
  try {
    await git.run({args: ['init', '--quiet', '--bare', '--template=', gitDir], signal})
    await remote.fetch({gitDir, refspecs: ['+refs/heads/*:refs/heads/*'], depth: null, filter: 'tree:0'}, signal)
    const {stdout} = await git.run({args: ['rev-list', '--all'], gitDir, signal})
    const found = stdout.toString('latin1').split('\n').filter((id) => id.startsWith(short))
    const [commit] = found
    if (commit === undefined) throw noCommit(remote, short, 'is on no branch of the repository')
    if (found.length > 1) throw noCommit(remote, short, `stands for ${found.length} commits; give more of it`)
    return commit
  } finally {
    await rm(gitDir, {recursive: true, force: true})
  }
}
