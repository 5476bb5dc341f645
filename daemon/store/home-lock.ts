import {createHash, randomBytes} from 'node:crypto'
import {readFileSync} from 'node:fs'
import {link, readFile, rename, rm, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {z} from 'zod'
import {Fault} from '../../src/contract/faults.js'
import {makePrivateFolder, systemCode} from './disk.js'

// A pid alone is not enough: after a reboot, or in another container, it may be somebody else's.
const Owner = z.object({pid: z.int(), startedAt: z.string(), boot: z.string(), nonce: z.string()})
type Owner = z.output<typeof Owner>

export interface HomeLock {
  release(): Promise<void>
}

/** Makes this process the only one that uses a home. Throws HOME_IN_USE where another one does. */
export async function lockHome(home: string): Promise<HomeLock> {
  await makePrivateFolder(home)
  const nonce = randomBytes(12).toString('hex')
  const owner: Owner = {pid: process.pid, startedAt: processStart(process.pid) ?? '', boot: bootId(), nonce}
  const lock = new LockFile(join(home, 'daemon.lock'), JSON.stringify(owner), nonce)
  const holder = await lock.take()
  if (holder === null) return lock
  throw await homeInUse(home, holder)
}

class LockFile implements HomeLock {
  readonly #own: string

  constructor(private readonly path: string, private readonly content: string, nonce: string) {
    this.#own = `${path}.${nonce}`
  }

  /** Null when the lock is ours; else who has it. */
  async take(): Promise<Owner | null> {
    // The lock appears with its content or not at all: written aside, then linked.
    try {
      await writeFile(this.#own, this.content, {mode: 0o600, flag: 'wx'})
      for (;;) {
        if (await linkNew(this.#own, this.path)) return null
        const present = await readOr(this.path)
        if (present === null) continue
        const holder = await this.#holder(present)
        if (holder.alive !== null) return holder.alive
        if (await this.#replace(present, holder.claim)) return null
      }
    } finally {
      await rm(this.#own, {force: true})
    }
  }

  /**
   * Who has the lock or is about to take it over. A takeover is claimed by a file named after the content it replaces, so of all who
   * see a dead owner one wins; where the winner died too, its claim can be claimed in turn.
   */
  async #holder(content: string): Promise<{alive: Owner | null; claim: string}> {
    let current = content
    for (;;) {
      const owner = parseOwner(current)
      const claim = this.#claimOf(current)
      if (owner !== null && isAlive(owner)) return {alive: owner, claim}
      const next = await readOr(claim)
      if (next === null) return {alive: null, claim}
      current = next
    }
  }

  #claimOf(content: string): string {
    return `${this.path}.after-${createHash('sha256').update(content).digest('hex').slice(0, 24)}`
  }

  async #replace(dead: string, claim: string): Promise<boolean> {
    if (!(await linkNew(this.#own, claim))) return false
    try {
      // Whoever took over before us did so before removing its claim: then the lock is not the dead one's any more.
      if ((await readOr(this.path)) !== dead) return false
      const next = `${this.#own}.next`
      await link(this.#own, next)
      await rename(next, this.path)
      return true
    } finally {
      await this.#removeClaims(dead)
      await rm(claim, {force: true})
    }
  }

  async #removeClaims(dead: string): Promise<void> {
    for (let claim = this.#claimOf(dead); ; ) {
      const content = await readOr(claim)
      if (content === null || content === this.content) return
      await rm(claim, {force: true})
      claim = this.#claimOf(content)
    }
  }

  async release(): Promise<void> {
    if ((await readOr(this.path)) === this.content) await rm(this.path, {force: true})
  }
}

async function linkNew(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to)
    return true
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false
    throw error
  }
}

async function readOr(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null
    throw error
  }
}

function parseOwner(content: string): Owner | null {
  try {
    return Owner.parse(JSON.parse(content))
  } catch {
    // Not written by this program, or before a power cut that kept the name and lost the content: nobody alive.
    return null
  }
}

function isAlive(owner: Owner): boolean {
  if (owner.boot !== bootId()) return false
  const startedAt = processStart(owner.pid)
  if (owner.startedAt !== '' && process.platform === 'linux') return startedAt === owner.startedAt
  try {
    process.kill(owner.pid, 0)
    return true
  } catch (error) {
    return systemCode(error) === 'EPERM'
  }
}

/** Field 22 of stat: when the process began, in ticks since boot. With the pid it names one process. */
function processStart(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The name in parentheses may hold spaces and parentheses; a zombie holds no files and no lock.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return fields[0] === 'Z' ? undefined : fields[19]
  } catch {
    return undefined
  }
}

function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()
  } catch {
    // Systems without /proc: the pid has to do.
    return ''
  }
}

const DaemonFile = z.object({address: z.string().optional(), url: z.string().optional()})

async function homeInUse(home: string, owner: Owner): Promise<Fault> {
  const address = await daemonAddress(home)
  const who = address === null ? `pid ${owner.pid}` : `pid ${owner.pid}, ${address}`
  return new Fault('HOME_IN_USE', `another daemon (${who}) uses ${home}`, {details: {pid: owner.pid, address, home}, suggestions: ['daemon status']})
}

/** The running daemon writes where it listens; before it has, the pid has to do. */
async function daemonAddress(home: string): Promise<string | null> {
  const content = await readOr(join(home, 'daemon.json'))
  if (content === null) return null
  try {
    const {address, url} = DaemonFile.parse(JSON.parse(content))
    return url ?? address ?? null
  } catch {
    // The message names the pid in any case.
    return null
  }
}
