import {Fault} from '../../../../src/contract/faults.js'
import type {GitAccess} from '../source.js'
import {reasonOf, sourceFault} from '../source-fault.js'
import {parseGitAddress, resolveSubmoduleUrl, type GitAddress} from './git-address.js'
import type {GitProgram} from './git-program.js'
import type {CommitList, GitEntry, GitLink} from './list-commit.js'

/** A commit that is there, and what it holds. */
export interface ListedCommit extends CommitList {
  readonly gitDir: string
  readonly commit: string
  readonly access: GitAccess
  /** Where it stands in the tree: empty, or a path and a slash. */
  readonly prefix: string
}

export interface SubmoduleParts {
  readonly git: GitProgram
  /** Fetches one commit of another repository and lists it. */
  readonly obtain: (access: GitAccess, wish: {readonly commit: string; readonly prefix: string}, signal: AbortSignal) => Promise<ListedCommit>
  readonly onLine: (line: string) => void
}

const deepest = 5
const most = 50

/** The files of all submodules of a commit, and of theirs. Each is fetched with the access of the repository it stands in only where it lies on the same host. */
export async function listSubmodules(parts: SubmoduleParts, top: ListedCommit, signal: AbortSignal): Promise<GitEntry[]> {
  const entries: GitEntry[] = []
  let waiting = [{list: top, depth: 1}]
  let count = 0
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const {list, depth} = next
    const urls = list.links.length === 0 ? undefined : await readModules(parts.git, list, signal)
    for (const link of list.links) {
      const path = list.prefix + link.path
      if (depth > deepest || (count += 1) > most) throw fault(path, depth > deepest ? `stands in more than ${deepest} others` : `is one of more than ${most}`)
      const found = await obtainOne(parts, {list, link, path, module: urls?.get(link.path)}, signal)
      if (found === undefined) continue
      entries.push(...found.entries)
      waiting = [...waiting, {list: found, depth: depth + 1}]
    }
  }
  return entries
}

interface One {
  readonly list: ListedCommit
  readonly link: GitLink
  readonly path: string
  readonly module: Module | undefined
}

async function obtainOne({obtain, onLine}: SubmoduleParts, {list, link, path, module}: One, signal: AbortSignal): Promise<ListedCommit | undefined> {
  if (module?.isOff === true) return undefined
  if (module?.url === undefined) throw fault(path, 'has no address in .gitmodules')
  try {
    const access = accessFor(list.access, resolveSubmoduleUrl(parseGitAddress(list.access.url), module.url))
    onLine(`fetching the submodule ${path} from ${access.url}`)
    return await obtain(access, {commit: link.commit, prefix: `${path}/`}, signal)
  } catch (error) {
    signal.throwIfAborted()
    const inner = reasonOf(error)
    if (inner === undefined || !(error instanceof Fault)) throw error
    throw sourceFault('submodule', `the submodule ${path} can not be fetched: ${error.message}`, {details: {submodule: path, submoduleReason: inner}, suggestions: error.suggestions, cause: error})
  }
}

/** Nothing of an access goes to another host; a login not even to another port or scheme of the same one. */
export function accessFor(parent: GitAccess, address: GitAddress): GitAccess {
  const own = parseGitAddress(parent.url)
  const isSameHost = own.hostname === address.hostname
  const isSameOrigin = own.origin === address.origin
  return {
    url: address.url,
    deployKey: isSameHost ? parent.deployKey : null,
    username: isSameOrigin ? (parent.username ?? own.username) : address.username,
    password: isSameOrigin ? (parent.password ?? own.password) : address.password,
  }
}

interface Module {
  readonly url: string | undefined
  /** Whether it says of itself that it is not fetched along. */
  readonly isOff: boolean
}

async function readModules(git: GitProgram, {gitDir, commit}: ListedCommit, signal: AbortSignal): Promise<Map<string, Module>> {
  const args = ['config', '--no-includes', `--blob=${commit}:.gitmodules`, '-z', '--get-regexp', String.raw`^submodule\..*\.(path|url|update)$`]
  const {stdout} = await git.run({args, gitDir, signal})
  const named = new Map<string, Record<string, string>>()
  for (const text of stdout.toString('utf8').split('\0')) {
    const [, name = '', field = '', value = ''] = /^submodule\.([^\n]*)\.(path|url|update)\n([^]*)$/.exec(text) ?? []
    if (field !== '') named.set(name, {...named.get(name), [field]: value})
  }
  return new Map([...named.values()].flatMap(({path, url, update}) => (path === undefined ? [] : [[path, {url, isOff: update === 'none'}] as const])))
}

function fault(path: string, why: string): Fault {
  return sourceFault('submodule', `the submodule ${path} ${why}`, {details: {submodule: path}})
}
