import {spawnSync} from 'node:child_process'
import {mkdtemp, rm, rmdir, statfs, writeFile} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import {join} from 'node:path'

/** Why there can be no small disk here; undefined where there can. Under CI that is a failure, elsewhere one loud line. */
export function smallDiskMissing(): string | undefined {
  const probe = process.getuid?.() === 0 ? spawnSync('unshare', ['-m', 'true']).status : 1
  if (probe === 0) return undefined
  const reason = 'a small disk needs root and the right to mount'
  if (process.env['CI'] === 'true') throw new Error(reason)
  process.stderr.write(`SKIPPED: tests of a full disk: ${reason}\n`)
  return reason
}

export interface SmallDisk {
  readonly folder: string
  /** Takes all the room there is. */
  fill(): Promise<void>
  /** Gives it back. */
  free(): Promise<void>
}

/** Runs with a real file system of its own that is full soon. */
export async function withSmallDisk(size: string, work: (disk: SmallDisk) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'moorage-disk-'))
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=0700`, 'tmpfs', folder], {encoding: 'utf8'})
  if (mounted.status !== 0) throw new Error(`mounting a small disk failed: ${mounted.stderr}`)
  const ballast = join(folder, 'ballast')
  try {
    await work({folder, fill: () => fillDisk(folder, ballast), free: () => rm(ballast, {force: true})})
  } finally {
    spawnSync('umount', ['-l', folder])
    await rmdir(folder)
  }
}

async function fillDisk(folder: string, ballast: string): Promise<void> {
  for (;;) {
    const {bavail, bsize} = await statfs(folder)
    if (bavail === 0) return
    await writeFile(ballast, Buffer.alloc(bavail * bsize), {flag: 'a'})
  }
}
