import {readFile, rm, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {isAlive, runCommand} from './lab-processes.js'

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
  readonly groups?: readonly string[]
  /** The folder that holds /etc and /home of the machine the user is for; without it, this machine. */
  readonly machine?: string
}

/** A throwaway user. */
export async function addUser(wish: LabUserWish): Promise<LabUser> {
  const hash = await hashOf(wish.password)
  const asRoot = wish.isRoot === true ? ['-o', '-u', '0', '-g', '0'] : []
  const groups = wish.groups === undefined ? [] : ['-G', wish.groups.join(',')]
  await untilUnlocked(() => runCommand('useradd', [...onMachine(wish.machine), '-m', '-d', wish.home, '-s', wish.shell ?? '/bin/bash', '-p', hash, ...asRoot, ...groups, wish.name]))
  if (wish.sudo !== undefined && wish.sudo !== 'none') {
    const tag = wish.sudo === 'without_password' ? 'NOPASSWD: ' : ''
    await writeFile(join(wish.machine ?? '/', sudoersFile(wish.name)), `Defaults:${wish.name} !lecture\n${wish.name} ALL=(ALL) ${tag}ALL\n`, {mode: 0o440})
  }
  return {name: wish.name, password: wish.password, home: wish.home}
}

/** Lets root of a machine of the lab in by password. */
export async function setRootPassword(machine: string, password: string): Promise<LabUser> {
  await runCommand('usermod', [...onMachine(machine), '-p', await hashOf(password), '-s', '/bin/bash', 'root'])
  return {name: 'root', password, home: '/root'}
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

async function hashOf(password: string): Promise<string> {
  return (await runCommand('openssl', ['passwd', '-6', password])).trim()
}

function onMachine(machine: string | undefined): string[] {
  return machine === undefined ? [] : ['--prefix', machine]
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
