import {execFileSync} from 'node:child_process'
import {open, rm} from 'node:fs/promises'
import {join} from 'node:path'
import {expect, it, onTestFinished} from 'vitest'
import {systemClock} from '../../daemon/clock.js'
import {localRunner} from '../../daemon/servers/local.js'
import {makeHome} from '../daemon/jobs/run-store-fixture.js'
import {RunLab} from '../daemon/jobs/executor-fixture.js'
import {missingPart} from '../lab/require-part.js'

async function fill(path: string): Promise<void> {
  const file = await open(path, 'w')
  try {
    for (let size = 1024 * 1024; size >= 1; size = Math.floor(size / 2)) {
      const bytes = Buffer.alloc(size)
      for (let written = true; written; ) {
        written = await file.write(bytes).then(({bytesWritten}) => bytesWritten === size, () => false)
      }
    }
  } finally {
    await file.close()
  }
}

it.skipIf(missingPart('tmpfs', ['mount', 'umount']) !== null)('waits while the disk is full, and loses nothing of a run', async () => {
  const disk = await makeHome()
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=6m', 'tmpfs', disk])
  onTestFinished(() => void execFileSync('umount', ['-l', disk]))
  const elsewhere = await makeHome()
  const runner = localRunner({serverId: 'srv_elsewhere', clock: systemClock, runsFolder: join(elsewhere, 'folders'), surroundings: {PATH: process.env['PATH']}})
  const lab = await RunLab.open({home: disk, runners: {srv_elsewhere: runner}})
  // More than the last page of any file has room for.
  const padding = 'p'.repeat(400)
  const command = 'i=0; while [ $i -lt 300 ]; do i=$((i+1)); echo "$i $PAD"; sleep 0.01; done; : >"$DONE"; exit 4'
  const job = await lab.addJob({key: 'custom:a', serverIds: ['srv_elsewhere'], command, env: {DONE: join(elsewhere, 'done'), PAD: padding}})
  const run = await lab.request({job, trigger: 'manual'})
  await lab.hasOutput(run.id, '\n20 ')
  await fill(join(disk, 'filler'))
  await lab.until(async () => open(join(elsewhere, 'done')).then((file) => file.close().then(() => true), () => false), 'the end of the command')
  expect((await lab.get(run.id)).status).toBe('running')
  expect(await lab.outputOf(run.id)).not.toContain('\n300 ')
  await rm(join(disk, 'filler'))
  expect(await lab.ended(run.id)).toMatchObject({status: 'failed', endReason: 'exit', exitCode: 4})
  expect(await lab.outputOf(run.id)).toBe(Array.from({length: 300}, (_, index) => `${index + 1} ${padding}\n`).join(''))
})
