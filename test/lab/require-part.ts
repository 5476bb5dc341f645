import {execFileSync} from 'node:child_process'

/** Why a real part can not be had on this machine, in one loud line; under CI that is a failure. */
export function missingPart(part: string, programs: readonly string[], needsRoot = true): string | null {
  const missing = programs.filter((program) => !isInstalled(program))
  const reason = missing.length > 0 ? `${missing.join(', ')} not installed` : process.getuid?.() === 0 || !needsRoot ? null : 'needs root'
  if (reason === null) return null
  const line = `SKIPPED: no ${part} (${reason}); its tests did not run`
  if (process.env['CI'] === 'true') throw new Error(line)
  process.stderr.write(`\n!!! ${line}\n`)
  return line
}

function isInstalled(program: string): boolean {
  try {
    execFileSync('/bin/sh', ['-c', 'command -v "$1"', 'sh', program], {env: {PATH: `${process.env['PATH'] ?? ''}:/usr/sbin:/sbin`}, stdio: 'ignore'})
    return true
  } catch {
    return false
  }
}
