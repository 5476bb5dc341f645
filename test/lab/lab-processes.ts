import {execFile} from 'node:child_process'
import {readdir, readFile, readlink} from 'node:fs/promises'
import {promisify} from 'node:util'

const run = promisify(execFile)

/** What the programs of a lab see of the environment: the packages of the distribution, before whatever else is on the machine. */
export const labEnvironment = {PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C.UTF-8'}

export async function runCommand(file: string, args: readonly string[], environment: Readonly<Record<string, string>> = {}): Promise<string> {
  return (await run(file, [...args], {env: {...labEnvironment, ...environment}, maxBuffer: 64 * 1024 * 1024})).stdout
}

export interface ChildProcess {
  readonly pid: number
  readonly name: string
}

export async function childrenOf(parents: readonly number[]): Promise<ChildProcess[]> {
  const found: ChildProcess[] = []
  for (const pid of await allPids()) {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
    const [, name = '', rest = ''] = /^\d+ \((.*)\) (.*)$/s.exec(stat) ?? []
    if (parents.includes(Number(rest.split(' ')[1]))) found.push({pid, name})
  }
  return found
}

export async function nameOf(pid: number): Promise<string> {
  return (await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '')).trim()
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

export function killNow(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // Gone already.
  }
}

/** kill -9 of every process that runs with this home, sshd's own aside. */
export async function killHome(home: string): Promise<void> {
  for (const pid of await allPids()) {
    const environment = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '')
    const program = await readlink(`/proc/${pid}/exe`).catch(() => '')
    if (environment.split('\0').includes(`HOME=${home}`) && !program.includes('sshd')) killNow(pid)
  }
}

/** Polls until it holds; a lab has no events to wait for where it starts programs of others. */
export async function untilTrue(condition: () => Promise<boolean>, {what, withinMs = 15_000}: {what: string; withinMs?: number}): Promise<void> {
  const deadline = Date.now() + withinMs
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`waited ${withinMs} ms for ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** Takes apart what was put up, last thing first. What fails does not keep the rest from going. */
export async function runCleanups(cleanups: (() => Promise<unknown>)[]): Promise<void> {
  const errors: unknown[] = []
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup().catch((error: unknown) => errors.push(error))
  if (errors.length > 0) throw new AggregateError(errors, `the lab left something behind: ${errors.map(String).join('; ')}`)
}

async function allPids(): Promise<number[]> {
  return (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry)).map(Number).filter((pid) => pid !== process.pid)
}
