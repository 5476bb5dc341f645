import type {Clock} from '../../../clock.js'
import {sourceFault} from '../source-fault.js'
import type {OpenAccess} from './git-access.js'
import {kindOfFailure, toGitFault} from './git-failure.js'
import type {GitProgram} from './git-program.js'

export interface RemoteLimits {
  /** For the first answer of a host. */
  readonly listMs: number
  /** For all that is fetched at once. */
  readonly fetchMs: number
}

export interface RemoteRefs {
  /** The default branch; null where the host does not say, or has none. */
  readonly defaultBranch: string | null
  /** What it ends with. */
  readonly head: string | null
  /** What the asked branch ends with. */
  readonly branch: string | null
  /** The commit of the tag of that name. */
  readonly tag: string | null
}

export interface RemoteParts {
  readonly git: GitProgram
  readonly clock: Clock
  readonly limits: RemoteLimits
  readonly access: OpenAccess
  readonly projectId: string
}

export interface FetchWish {
  readonly gitDir: string
  readonly refspecs: readonly string[]
  readonly depth: number | null
  /** What of the objects is left out, as `tree:0`. */
  readonly filter?: string
}

/** A repository on another host. */
export class GitRemote {
  readonly #parts: RemoteParts

  constructor(parts: RemoteParts) {
    this.#parts = parts
  }

  get url(): string {
    return this.#parts.access.address.url
  }

  /** Where its default branch and a named one stand. */
  async refs(branch: string | null, signal: AbortSignal): Promise<RemoteRefs> {
    const names = branch === null ? [] : [`refs/heads/${branch}`, `refs/tags/${branch}`, `refs/tags/${branch}^{}`]
    const lines = (await this.#call(['ls-remote', '--symref', '--', this.url, 'HEAD', ...names], this.#parts.limits.listMs, signal)).split('\n')
    const ids = new Map(lines.flatMap((line) => (line.startsWith('ref:') ? [] : [line.split('\t').reverse() as [string, string]])))
    const symbolic = lines.find((line) => line.startsWith('ref: refs/heads/') && line.endsWith('\tHEAD'))
    return {
      defaultBranch: symbolic?.slice('ref: refs/heads/'.length, -'\tHEAD'.length) ?? null,
      head: ids.get('HEAD') ?? null,
      branch: ids.get(`refs/heads/${branch}`) ?? null,
      tag: ids.get(`refs/tags/${branch}^{}`) ?? ids.get(`refs/tags/${branch}`) ?? null,
    }
  }

  /** Every branch and where it stands, by name. */
  async heads(signal: AbortSignal): Promise<{readonly name: string; readonly commit: string}[]> {
    const text = await this.#call(['ls-remote', '--heads', '--', this.url], this.#parts.limits.listMs, signal)
    const lines = text.split('\n').flatMap((line) => {
      const [, commit, name] = /^([0-9a-f]{40,64})\trefs\/heads\/(.+)$/.exec(line) ?? []
      return commit === undefined || name === undefined ? [] : [{name, commit}]
    })
    return lines.sort((a, b) => (a.name < b.name ? -1 : 1))
  }

  async fetch({gitDir, refspecs, depth, filter}: FetchWish, signal: AbortSignal): Promise<void> {
    const words = (limit: readonly string[]) => [
      `--git-dir=${gitDir}`, 'fetch', '--quiet', '--no-tags', '--force', '--no-recurse-submodules', ...limit, ...(filter === undefined ? [] : [`--filter=${filter}`]), '--', this.url, ...refspecs,
    ]
    const {fetchMs} = this.#parts.limits
    try {
      await this.#call(words(depth === null ? [] : [`--depth=${depth}`]), fetchMs, signal)
    } catch (error) {
      // Servers of plain files can only give all of it.
      if (depth === null || !(error instanceof Error) || !(error.cause instanceof Error) || kindOfFailure(error.cause.message) !== 'shallow') throw error
      await this.#call(words([]), fetchMs, signal)
    }
  }

  async #call(words: readonly string[], limitMs: number, signal: AbortSignal): Promise<string> {
    const {git, access, projectId, clock} = this.#parts
    return withDeadline({clock, signal, limitMs, late: () => tooLate(this.url, limitMs)}, async (deadline) => {
      const {exitCode, stdout, stderr} = await git.run({args: [...access.config, ...words], env: access.env, signal: deadline})
      if (exitCode !== 0) throw toGitFault(stderr, {address: access.address, hasLogin: access.hasLogin, projectId})
      return stdout.toString('utf8')
    })
  }
}

interface Deadline {
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly limitMs: number
  readonly late: () => Error
}

/** Ends the work when its time is over. */
async function withDeadline<T>({clock, signal, limitMs, late}: Deadline, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const over = new AbortController()
  const cancel = clock.after(limitMs, () => over.abort(late()))
  try {
    return await work(AbortSignal.any([signal, over.signal]))
  } finally {
    cancel()
  }
}

function tooLate(url: string, limitMs: number): Error {
  return sourceFault('timeout', `${url}: no whole answer within ${Math.round(limitMs / 1000)} s`, {details: {url, limitMs}})
}
