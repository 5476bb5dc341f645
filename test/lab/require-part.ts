import {execFileSync} from 'node:child_process'

// The packages of Debian that have the programs which real parts are made of; a program that is not named here is called as its package.
const packages: Readonly<Record<string, string>> = {
  'busybox': 'busybox-static',
  'docker': 'docker.io',
  'dockerd': 'docker.io',
  'ip': 'iproute2',
  'newuidmap': 'uidmap',
  'nft': 'nftables',
  'nsenter': 'util-linux',
  'parallel-ssh': 'pssh',
  'ssh': 'openssh-client',
  'ssh-keygen': 'openssh-client',
  'sshd': 'openssh-server',
  'unshare': 'util-linux',
  'useradd': 'passwd',
}

export interface PartNeeds {
  /** Looks once all programs are there. */
  readonly probe?: () => string | null
  /** True unless given. */
  readonly needsRoot?: boolean
}

/** Why a real part can not be had on this machine, in one loud line; under CI that is a failure. */
export function missingPart(part: string, programs: readonly string[], {probe = () => null, needsRoot = true}: PartNeeds = {}): string | null {
  const reason = missingPrograms(programs) ?? (process.getuid?.() === 0 || !needsRoot ? probe() : 'needs root')
  if (reason === null) return null
  const line = `SKIPPED: no ${part} (${reason}); its tests did not run`
  if (process.env['CI'] === 'true') throw new Error(line)
  process.stderr.write(`\n!!! ${line}\n`)
  return line
}

function missingPrograms(programs: readonly string[]): string | null {
  const missing = programs.filter((program) => !isInstalled(program))
  if (missing.length === 0) return null
  const wanted = new Set(missing.map((program) => packages[program] ?? program))
  return `${missing.join(', ')} not installed: apt-get install ${[...wanted].join(' ')}`
}

function isInstalled(program: string): boolean {
  try {
    execFileSync('/bin/sh', ['-c', 'command -v "$1"', 'sh', program], {env: {PATH: `${process.env['PATH'] ?? ''}:/usr/sbin:/sbin`}, stdio: 'ignore'})
    return true
  } catch {
    return false
  }
}
