import {createHash} from 'node:crypto'
import {mkdir, readdir, rm, stat, statfs} from 'node:fs/promises'
import path from 'node:path'
import type {Clock} from '../../../clock.js'
import {reasonOf, sourceFault} from '../source-fault.js'
import {diskFull, MirrorDamaged} from './git-failure.js'
import type {GitProgram} from './git-program.js'
import type {FetchWish, GitRemote} from './git-remote.js'

export interface MirrorLimits {
  /** Commits that are kept for the next fetch and for comparisons. */
  readonly keptCommits: number
  /** Packs after which what is not needed any more is thrown away. */
  readonly mostPacks: number
  readonly mostBytes: number
}

export interface MirrorParts {
  readonly git: GitProgram
  readonly clock: Clock
  readonly folder: string
  readonly limits: MirrorLimits
}

const usedRefs = 'refs/moorage/used/'
const historyRefs = 'refs/moorage/history/'
const measureEveryMs = 500
const leastRoom = 1_000_000

/** A bare repository of ours that holds the commits of another one that were asked for. */
export class GitMirror {
  readonly gitDir: string
  readonly #parts: MirrorParts
  readonly #inUse = new Map<string, number>()

  constructor(parts: MirrorParts, url: string) {
    this.#parts = parts
    this.gitDir = path.join(parts.folder, `${createHash('sha256').update(url).digest('hex').slice(0, 16)}.git`)
  }

  /** Makes it where it is not there, and throws away what has grown old. */
  async prepare(signal: AbortSignal): Promise<void> {
    await mkdir(this.#parts.folder, {recursive: true, mode: 0o700})
    const packs = await this.#packFiles()
    if (packs === undefined) return void (await this.#run(['init', '--quiet', '--bare', '--template=', this.gitDir], signal, false))
    await this.#removeLeftovers()
    if (packs.filter((name) => name.endsWith('.pack')).length > this.#parts.limits.mostPacks) await this.#tidy(signal)
  }

  /** Whether a commit is there with all of its files. */
  async has(commit: string, signal: AbortSignal): Promise<boolean> {
    return (await this.#usedRefs(signal)).some((ref) => ref.endsWith(`-${commit}`))
  }

  async fetch(remote: GitRemote, wish: Omit<FetchWish, 'gitDir'>, signal: AbortSignal): Promise<void> {
    const isFirst = (await this.#usedRefs(signal)).length === 0
    const tooLarge = new AbortController()
    const stop = this.#watchSize(tooLarge)
    try {
      await remote.fetch({...wish, gitDir: this.gitDir}, AbortSignal.any([signal, tooLarge.signal]))
      if (await this.#isTooLarge()) throw this.#largeFault()
    } catch (error) {
      await this.#removeLeftovers()
      if (reasonOf(error) !== 'too-large') throw error
      // What was kept from before may be what takes the room.
      if (!isFirst) throw new MirrorDamaged('it has grown too large', {cause: error})
      await this.reset()
      throw error
    } finally {
      stop()
    }
  }

  /** All that the branches of the remote repository have ever held. */
  async fetchHistory(remote: GitRemote, signal: AbortSignal): Promise<void> {
    await this.fetch(remote, {refspecs: [`+refs/heads/*:${historyRefs}*`], depth: wholeHistory}, signal)
  }

  /** The commit that a name stands for here; undefined where there is none. */
  async resolve(name: string, signal: AbortSignal): Promise<string | undefined> {
    const {exitCode, stdout} = await this.#parts.git.run({args: ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`], gitDir: this.gitDir, signal})
    return exitCode === 0 ? stdout.toString('utf8').trim() : undefined
  }

  /** Keeps a commit from being thrown away, and marks it as used last. The answer lets go of it. */
  async hold(commit: string, signal: AbortSignal): Promise<() => void> {
    const older = (await this.#usedRefs(signal)).filter((ref) => ref.endsWith(`-${commit}`))
    const ref = `${usedRefs}${String(this.#parts.clock.now()).padStart(15, '0')}-${commit}`
    await this.#run(['update-ref', ref, commit], signal)
    for (const name of older) if (name !== ref) await this.#run(['update-ref', '-d', name], signal)
    this.#inUse.set(commit, (this.#inUse.get(commit) ?? 0) + 1)
    let held = true
    return () => {
      if (held) this.#inUse.set(commit, (this.#inUse.get(commit) ?? 1) - 1)
      held = false
    }
  }

  /** Whether something reads of it now. */
  get isHeld(): boolean {
    return [...this.#inUse.values()].some((times) => times > 0)
  }

  /** What is broken is cheaper to fetch again than to repair. */
  async reset(): Promise<void> {
    await rm(this.gitDir, {recursive: true, force: true})
  }

  async #tidy(signal: AbortSignal): Promise<void> {
    const {limits, git} = this.#parts
    const old = (await this.#usedRefs(signal)).slice(0, -limits.keptCommits).filter((ref) => (this.#inUse.get(ref.slice(-40)) ?? 0) === 0)
    const history = await this.#refs(historyRefs, signal)
    for (const ref of [...old, ...history, fetchedRef]) await git.run({args: ['update-ref', '-d', ref], gitDir: this.gitDir, signal})
    await this.#run(['gc', '--quiet', '--prune=now'], signal)
  }

  // Their names begin with the time of their last use.
  #usedRefs(signal: AbortSignal): Promise<string[]> {
    return this.#refs(usedRefs, signal)
  }

  async #refs(prefix: string, signal: AbortSignal): Promise<string[]> {
    const text = await this.#run(['for-each-ref', '--sort=refname', '--format=%(refname)', prefix], signal)
    return text.split('\n').filter((line) => line !== '')
  }

  async #run(args: readonly string[], signal: AbortSignal, inside = true): Promise<string> {
    const {exitCode, stdout, stderr} = await this.#parts.git.run({args, signal, ...(inside && {gitDir: this.gitDir})})
    if (exitCode !== 0) throw await this.#failure(`git ${args[0] ?? ''}: ${stderr.trim()}`)
    return stdout.toString('utf8')
  }

  // Not every message of git says that it is the disk.
  async #failure(message: string): Promise<Error> {
    const {bavail, bsize} = await statfs(this.#parts.folder)
    return bavail * bsize < leastRoom ? diskFull(new Error(message)) : new MirrorDamaged(message)
  }

  // What a fetch that ended early has written may be all the room there was.
  async #removeLeftovers(): Promise<void> {
    for (const name of (await this.#packFiles()) ?? []) if (name.startsWith('tmp_')) await rm(path.join(this.gitDir, 'objects', 'pack', name), {force: true})
  }

  // Undefined where there is no repository.
  async #packFiles(): Promise<string[] | undefined> {
    try {
      return await readdir(path.join(this.gitDir, 'objects', 'pack'))
    } catch {
      return undefined
    }
  }

  // git has no limit of its own for what it fetches.
  #watchSize(tooLarge: AbortController): () => void {
    const {clock} = this.#parts
    let isOver = false
    const measure = async () => {
      const isTooLarge = await this.#isTooLarge()
      if (isOver) return
      if (isTooLarge) tooLarge.abort(this.#largeFault())
      else cancel = clock.after(measureEveryMs, () => void measure())
    }
    let cancel = clock.after(measureEveryMs, () => void measure())
    return () => {
      isOver = true
      cancel()
    }
  }

  async #isTooLarge(): Promise<boolean> {
    const sizes = await Promise.all(((await this.#packFiles()) ?? []).map((name) => sizeOf(path.join(this.gitDir, 'objects', 'pack', name))))
    return sizes.reduce((sum, size) => sum + size, 0) > this.#parts.limits.mostBytes
  }

  #largeFault(): Error {
    const {mostBytes} = this.#parts.limits
    return sourceFault('too-large', `the repository is larger than ${Math.round(mostBytes / 1_000_000)} MB, which is the most that is fetched`, {details: {mostBytes}})
  }
}

/** What a fetch leaves behind. */
export const fetchedRef = 'refs/moorage/fetched'

/** As git writes a depth without end; it also completes what was cut off before. */
const wholeHistory = 2_147_483_647

async function sizeOf(file: string): Promise<number> {
  try {
    return (await stat(file)).size
  } catch {
    // It has been renamed or is gone meanwhile.
    return 0
  }
}
