import {execFileSync} from 'node:child_process'
import {mkdir} from 'node:fs/promises'
import {join} from 'node:path'
import {describe, expect, test} from 'vitest'
import {durableCommand, runDurably} from '../daemon/servers/durable-cases.js'
import {openSshMissing, startOpenSsh} from '../lab/openssh.js'
import {sharedPart} from '../lab/shared-part.js'
import {labRunner} from '../lab/ssh-target.js'

const missing = openSshMissing()
const MiB = 1024 * 1024

describe.skipIf(missing !== null)('a run over SSH with more output than there is room', () => {
  const lab = sharedPart(startOpenSsh)
  const user = sharedPart(() => lab.user())
  const server = sharedPart(() => lab.server())

  test('one gigabyte is kept to its limit and counted to the byte, and memory stays bounded', async () => {
    const command = durableCommand('big', 'head -c 1073741824 /dev/zero; echo end', {outputLimitBytes: 16 * MiB})
    let [size, tail, peak] = [0, Buffer.alloc(0), 0]
    const before = process.memoryUsage().rss
    const end = await labRunner(lab, server, user).durable.run(command, {
      from: {output: 0, stderr: 0}, signal: AbortSignal.timeout(100_000),
      async onChunk({bytes}) {
        size += bytes.length
        tail = Buffer.concat([tail, bytes]).subarray(-4)
        peak = Math.max(peak, process.memoryUsage().rss)
        await new Promise((resolve) => setImmediate(resolve))
      },
    })
    expect(end).toMatchObject({exitCode: 0, droppedBytes: {output: 1024 * MiB + 4 - 16 * MiB - 65_536}})
    expect([size, tail.toString()]).toEqual([16 * MiB + 65_536, 'end\n'])
    expect(peak - before).toBeLessThan(150 * MiB)
  }, 120_000)

  test('a command that fills the disk of the server ends with its own exit code all the same', async () => {
    const runs = join(user.home, '.moorage')
    await mkdir(runs, {recursive: true})
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'lab', runs])
    try {
      const {output, end} = await runDurably(labRunner(lab, server, user).durable, durableCommand('full', 'head -c 20000000 /dev/zero; exit 9'))
      expect(end).toMatchObject({kind: 'exit', exitCode: 9})
      expect(output.length).toBeGreaterThan(1_000_000)
      expect(end.droppedBytes.output).toBeGreaterThan(10_000_000)
      await expect(runDurably(labRunner(lab, server, user).durable, durableCommand('next', 'true'))).rejects.toMatchObject({code: 'SERVER_UNREACHABLE', message: /space/i})
    } finally {
      execFileSync('umount', ['-l', runs])
    }
  })
})
