import {execFile} from 'node:child_process'
import {readFile, rm, writeFile} from 'node:fs/promises'
import {promisify} from 'node:util'

const run = promisify(execFile)
const environment = {PATH: '/usr/sbin:/usr/bin:/sbin:/bin'}

export interface LabUser {
  readonly name: string
  readonly password: string
  readonly home: string
}

export interface LabUserWish {
  readonly name: string
  readonly home: string
  readonly password: string
  /** Another name of uid 0, so that nothing of the real root is touched. */
  readonly isRoot?: boolean
  readonly shell?: string
  readonly sudo?: 'none' | 'with_password' | 'without_password'
}

/** A throwaway user of this machine. */
export async function addUser(wish: LabUserWish): Promise<LabUser> {
  const hash = await runCommand('openssl', ['passwd', '-6', wish.password])
  const asRoot = wish.isRoot === true ? ['-o', '-u', '0', '-g', '0'] : []
  await untilUnlocked(() => runCommand('useradd', ['-m', '-d', wish.home, '-s', wish.shell ?? '/bin/bash', '-p', hash.trim(), ...asRoot, wish.name]))
  if (wish.sudo !== undefined && wish.sudo !== 'none') {
    const tag = wish.sudo === 'without_password' ? 'NOPASSWD: ' : ''
    await writeFile(sudoersFile(wish.name), `Defaults:${wish.name} !lecture\n${wish.name} ALL=(ALL) ${tag}ALL\n`, {mode: 0o440})
  }
  return {name: wish.name, password: wish.password, home: wish.home}
}

export async function removeUser(name: string): Promise<void> {
  await rm(sudoersFile(name), {force: true})
  // -f: leftovers of a test may still run as this user.
  await untilUnlocked(() => runCommand('userdel', ['-f', name])).catch((error: unknown) => {
    if (!isGone(error)) throw error
  })
}

/** Users of labs whose process is gone without cleaning up. */
export async function removeStaleUsers(prefix: RegExp): Promise<void> {
  const names = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':')[0] ?? '')
  for (const name of names) {
    const pid = prefix.exec(name)?.[1]
    if (pid !== undefined && !isAlive(Number(pid))) await removeUser(name).catch(() => undefined)
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

export async function runCommand(file: string, args: readonly string[]): Promise<string> {
  return (await run(file, [...args], {env: environment})).stdout
}

function sudoersFile(name: string): string {
  return `/etc/sudoers.d/moorage-lab-${name}`
}

// Labs of several test files change /etc/passwd at the same time; exit 1 means that another holds the lock.
async function untilUnlocked(change: () => Promise<string>): Promise<void> {
  const deadline = Date.now() + 20_000
  for (;;) {
    try {
      await change()
      return
    } catch (error) {
      if (exitCodeOf(error) !== 1 || Date.now() > deadline) throw error
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
}

function isGone(error: unknown): boolean {
  return exitCodeOf(error) === 6
}

function exitCodeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}
