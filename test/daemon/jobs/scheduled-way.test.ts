import {expect, test} from 'vitest'
import {startTestDaemon, type TestDaemon} from '../start-test-daemon.js'
import {until} from './job-fixture.js'

async function runsOf(daemon: TestDaemon, key: string) {
  return (await daemon.call('GET', `/api/jobs/${key}/runs`)).body.data
}

test('a daemon starts a once job when its time comes, and those that wait for it after it', async () => {
  const daemon = await startTestDaemon()
  const [local] = (await daemon.call('GET', '/api/system/servers')).body
  const runAt = new Date(Date.now() + 1500).toISOString()
  const once = {name: 'once', label: 'Once', command: 'echo ran', serverId: local.id, scheduleType: 'once', runAt}
  expect((await daemon.call('POST', '/api/jobs', once)).body.data).toMatchObject({nextRunAt: runAt, enabled: true})
  await daemon.call('POST', '/api/jobs', {name: 'after', label: 'After', command: 'true', serverId: local.id, scheduleType: 'manual', dependsOn: ['custom:once']})
  await until(async () => (await runsOf(daemon, 'custom:after'))[0]?.status === 'success')
  const [run] = await runsOf(daemon, 'custom:once')
  expect(run).toMatchObject({trigger: 'once', status: 'success', scheduledFor: runAt})
  expect(Date.parse(run.createdAt) - Date.parse(runAt)).toBeLessThan(1000)
  const {data} = (await daemon.call('GET', '/api/jobs/custom:once')).body
  expect(data).toMatchObject({enabled: false, runAt: null, nextRunAt: null, lastRun: {id: run.id}, recentRuns: [{id: run.id, output: null}]})
})

test('a daemon with schedules off starts nothing by itself and says why', async () => {
  const daemon = await startTestDaemon({jobs: false})
  const [local] = (await daemon.call('GET', '/api/system/servers')).body
  const body = {name: 'often', label: 'Often', command: 'true', serverId: local.id, cronExpression: '*/10 * * * * *'}
  expect((await daemon.call('POST', '/api/jobs', body)).body.data).toMatchObject({enabled: true, nextRunAt: null})
  const list = (await daemon.call('GET', '/api/jobs')).body
  expect(list.scheduler).toMatchObject({enabled: false, timeZone: 'UTC'})
  expect(list.scheduler.reason).toContain('turned off')
  expect(list.data.every((job: {nextRunAt: string | null}) => job.nextRunAt === null)).toBe(true)
})
