import {expect, it} from 'vitest'
import {startTestDaemon, type TestDaemon} from '../start-test-daemon.js'

async function untilEnded(daemon: TestDaemon, runId: string) {
  const deadline = Date.now() + 15_000
  for (;;) {
    const {body} = await daemon.call('GET', `/api/jobs/runs/${runId}`)
    if (body.data.finishedAt !== null || Date.now() > deadline) return body.data
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

it('runs a job on the local machine from the first request to its output and history', async () => {
  const daemon = await startTestDaemon()
  const [local] = (await daemon.call('GET', '/api/system/servers')).body
  expect(local).toMatchObject({isLocal: true, name: 'local'})
  const body = {name: 'hello', label: 'Hello', command: 'echo "hello $WHO"; echo $SECRET; exit 3', serverId: local.id, scheduleType: 'manual', env: {WHO: 'you'}, secrets: {SECRET: 'sesame-open'}}
  const created = await daemon.call('POST', '/api/jobs', body)
  expect(created.status, JSON.stringify(created.body)).toBe(201)
  expect(created.body.data).toMatchObject({key: 'custom:hello', actionConfig: {secrets: {SECRET: ''}}, nextRunAt: null})
  const asked = await daemon.call('POST', '/api/jobs/custom%3Ahello/run')
  const run = await untilEnded(daemon, asked.body.data.runId)
  expect(run).toMatchObject({status: 'failed', endReason: 'exit', trigger: 'manual', output: 'hello you\n***\n', summary: {exitCode: 3, attempts: 1}})
  const history = await daemon.call('GET', '/api/jobs/custom:hello/runs?limit=1000')
  expect(history.body.data.map((row: {id: string; output: null}) => [row.id, row.output])).toEqual([[run.id, null]])
})
