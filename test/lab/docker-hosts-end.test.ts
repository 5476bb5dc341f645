import {spawn} from 'node:child_process'
import {once} from 'node:events'
import {existsSync} from 'node:fs'
import {readdir, readFile} from 'node:fs/promises'
import {basename} from 'node:path'
import {createInterface} from 'node:readline'
import {afterEach, describe, expect, it, onTestFinished, vi} from 'vitest'
import {smallDiskMissing, withSmallDisk} from '../faults/small-disk.js'
import {dockerHostsMissing, startDockerHosts} from './docker-hosts.js'
import {cgroupsLike} from './lab-cgroups.js'
import {childrenOf, nameOf, untilTrue} from './lab-processes.js'

interface LabTraces {
  readonly folder: string
  readonly bridge: string
}

describe.skipIf(dockerHostsMissing() !== null || smallDiskMissing() !== undefined)('the end of a lab', () => {
  afterEach(() => vi.unstubAllEnvs())

  it('leaves nothing, whatever went on in it, and another lab at the same time alone', async () => {
    const [first, second] = await Promise.all([startDockerHosts(1), startDockerHosts(1)])
    onTestFinished(async () => void (await Promise.all([first.stop(), second.stop()])))
    expect(new Set([first.gateway, second.gateway, first.host(1).address, second.host(1).address]).size).toBe(4)
    await first.host(1).docker('run', '--detach', '--publish', '80:80', '--volume', 'kept:/kept', 'lab/web:1')
    await first.host(1).docker('pause', (await first.host(1).docker('run', '--detach', 'lab/web:1')).trim())
    await first.host(1).run('nohup sleep 600 >/dev/null 2>&1 & dd if=/dev/zero of=/var/lib/large bs=1M count=5 2>&1')
    const traces = {folder: first.folder, bridge: first.bridge}
    expect(await remainsOf(traces)).toMatchObject({folder: true, bridge: true, cgroups: 1, processes: expect.arrayContaining(['dockerd', 'httpd', 'sshd', 'sleep'])})
    await first.stop()
    expect(await remainsOf(traces)).toEqual({folder: false, bridge: false, cgroups: 0, processes: []})
    expect(await readFile('/proc/mounts', 'utf8')).not.toContain(first.folder)
    expect(await second.host(1).run('docker ps --quiet; hostname')).toBe('docker-1\n')
    await first.stop()
    await second.stop()
    expect(await childrenOf([process.pid])).toEqual([])
  })

  it('comes after a start that failed in the middle, too', async () => {
    // Room for the files of the machines, not for the images in the engines.
    await withSmallDisk('16M', async (disk) => {
      vi.stubEnv('TMPDIR', disk.folder)
      await expect(startDockerHosts(2)).rejects.toThrow(/no space left on device/i)
      expect(await readdir(disk.folder)).toEqual([])
    })
    const own = new RegExp(`^moorage-docker-${process.pid}-`)
    expect(await cgroupsLike(own)).toEqual([])
    expect(await childrenOf([process.pid])).toEqual([])
  })

  it('comes with the end of the test process, and what the kernel keeps goes with the next lab', async () => {
    const child = spawn(process.execPath, ['scripts/run-ts.mjs', 'test/lab/parts/abandoned-lab.ts'], {stdio: ['ignore', 'pipe', 'inherit']})
    onTestFinished(() => void child.kill('SIGKILL'))
    const traces = JSON.parse((await once(createInterface(child.stdout), 'line')).join()) as LabTraces
    expect(await remainsOf(traces)).toMatchObject({folder: true, bridge: true, cgroups: 1, processes: expect.arrayContaining(['dockerd', 'httpd'])})
    child.kill('SIGKILL')
    await untilTrue(async () => (await remainsOf(traces)).processes.length === 0, {what: 'the machine to go'})
    await untilTrue(async () => child.signalCode !== null, {what: 'the test process to go'})
    const next = await startDockerHosts(0)
    await next.stop()
    expect(await remainsOf(traces)).toEqual({folder: false, bridge: false, cgroups: 0, processes: []})
  })
})

async function remainsOf({folder, bridge}: LabTraces) {
  const links = await readdir('/sys/class/net')
  return {
    folder: existsSync(folder),
    bridge: links.some((name) => name === bridge || name.startsWith(`${bridge}-`)),
    cgroups: (await cgroupsLike(new RegExp(`^${basename(folder)}$`))).length,
    processes: await processesOf(folder),
  }
}

/** Names of the processes on machines of the lab and in their containers: those that have a part of its folder mounted. */
async function processesOf(folder: string): Promise<string[]> {
  const names: string[] = []
  for (const pid of (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry))) {
    const mounts = await readFile(`/proc/${pid}/mountinfo`, 'utf8').catch(() => '')
    if (mounts.includes(`${folder}/`)) names.push(await nameOf(Number(pid)))
  }
  return names
}
