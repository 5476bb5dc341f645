import {spawn} from 'node:child_process'
import {once} from 'node:events'
import {randomBytes} from 'node:crypto'
import {expect, it, onTestFinished} from 'vitest'
import {systemClock} from '../../../../daemon/clock.js'
import {untilComposeIsDone} from '../../../../daemon/projects/deployments/until-compose-is-done.js'
import {localRunner} from '../../../../daemon/servers/local.js'
import {temporaryFolder} from '../../start-test-daemon.js'
import {idle} from '../sources/tar-entries.js'

/** A Compose of an earlier daemon, as the list of processes shows it. */
function leftover(slug: string, script: string) {
  const child = spawn('sh', ['-c', script, 'docker-compose', '-p', `moorage-${slug}`, '-f', 'compose.yml', 'up', '-d'], {stdio: 'ignore'})
  onTestFinished(() => void child.kill('SIGKILL'))
  return {ended: once(child, 'exit') as Promise<[number | null, string | null]>}
}

async function wait(slug: string): Promise<void> {
  const runner = localRunner({serverId: 'srv_local', clock: systemClock, runsFolder: await temporaryFolder(), surroundings: {PATH: process.env['PATH']}})
  // Two minutes are over in a moment.
  const clock = {...systemClock, now: () => systemClock.now(), after: (ms: number, callback: () => void) => systemClock.after(ms / 500, callback)}
  const place = {engine: {serverId: 'srv_local'}, facts: {needsSudo: false}, project: {slug}} as unknown as Parameters<typeof untilComposeIsDone>[1]
  await untilComposeIsDone({clock, runnerFor: async () => runner}, place, idle)
}

it('waits for a Compose that goes on, and for none of another project', async () => {
  const slug = `t${randomBytes(6).toString('hex')}`
  const [own, other] = [leftover(slug, 'sleep 1'), leftover(`${slug}-other`, 'sleep 600')]
  await wait(slug)
  expect(await own.ended).toEqual([0, null])
  expect(await Promise.race([other.ended, Promise.resolve('goes on')])).toBe('goes on')
})

it('ends one that would go on for ever, whatever it makes of being asked', async () => {
  const slug = `t${randomBytes(6).toString('hex')}`
  const [polite, deaf] = [leftover(slug, 'while :; do sleep 0.1; done'), leftover(slug, 'trap "" TERM; while :; do sleep 0.1; done')]
  await wait(slug)
  expect([await polite.ended, await deaf.ended]).toEqual([[null, 'SIGTERM'], [null, 'SIGKILL']])
}, 60_000)
