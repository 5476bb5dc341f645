import {expect, it, onTestFinished} from 'vitest'
import {systemClock} from '../../../../daemon/clock.js'
import {createRecordEvent} from '../../../../daemon/events/event-log.js'
import {Fault} from '../../../../src/contract/faults.js'
import {DeploymentBook} from '../../../../daemon/projects/deployments/deployment-book.js'
import {DeploymentFailure} from '../../../../daemon/projects/deployments/deployment-failure.js'
import {DeploymentLog} from '../../../../daemon/projects/deployments/deployment-log.js'
import type {DeploymentRecord} from '../../../../daemon/projects/deployments/records.js'
import {failDeployment} from '../../../../daemon/projects/deployments/fail-deployment.js'
import {InterruptionMeter} from '../../../../daemon/projects/deployments/interruption-meter.js'
import {Projects} from '../../../../daemon/projects/records.js'
import {openOutputFiles} from '../../../../daemon/store/output-files.js'
import {temporaryFolder} from '../../start-test-daemon.js'
import {idle} from '../sources/tar-entries.js'
import {openQueue, quietLog, type QueueFixture} from './queue-fixture.js'

/** A deployment in hand, and what it is ended with; every server is asked for and none answers for good. */
async function inHand(queue: QueueFixture, deployment: DeploymentRecord) {
  const asked: (string | null)[] = []
  const clockAndStore = {store: queue.store, clock: systemClock, log: quietLog, recordEvent: createRecordEvent(systemClock)}
  const outputs = openOutputFiles(await temporaryFolder())
  onTestFinished(() => outputs.close())
  const log = new DeploymentLog({log: await outputs.open(deployment.id), clock: systemClock, logger: quietLog, signal: idle, onStored: () => undefined})
  const parts = {
    ...clockAndStore, sealer: queue.sealer,
    engines: {
      engineFor(serverId: string | null) {
        asked.push(serverId)
        return Promise.reject(new Fault('VALIDATION_ERROR', 'there is no such server'))
      },
    },
  } as unknown as Parameters<typeof failDeployment>[0]
  const run = {deployment, log, book: new DeploymentBook(clockAndStore, deployment.id, idle), meter: new InterruptionMeter(), signals: {early: idle, late: idle, gone: idle}}
  return {asked, log, run, fail: (failure: DeploymentFailure | null) => failDeployment(parts, run, failure)}
}

it('shows no secret in what a failed deployment says of itself, nor in its event', async () => {
  const queue = await openQueue()
  const project = await queue.addProject({name: 'Shop', image: 'a:1'})
  const {deployment} = await queue.ask({projectId: project.id})
  const {log, fail} = await inHand(queue, deployment)
  log.hide(['first-secret-word'])
  log.hide(['second-secret-word'])
  await fail(new DeploymentFailure('unhealthy', 'web never became healthy; its health check says: no first-secret-word', {service: 'web', details: {lastLines: ['and second-secret-word'], deep: {port: 80}}}))
  const ended = await queue.deployment(deployment.id)
  expect(ended).toMatchObject({status: 'failed', errorMessage: expect.stringContaining('its health check says: no '), errorDetails: {deep: {port: 80}, service: 'web'}})
  expect(JSON.stringify([ended, await queue.events(), await log.tail(10)])).not.toMatch(/first-secret|second-secret/)
})

it('brings back on the server where it began, although the project was given another one since', async () => {
  const queue = await openQueue()
  const project = await queue.addProject({name: 'Shop', image: 'a:1', serverId: 'srv_old'})
  const {deployment} = await queue.ask({projectId: project.id})
  const {asked, run, fail} = await inHand(queue, deployment)
  await run.book.patch({stage: 'up'})
  await queue.store.transaction((transaction) => transaction.put(Projects, {...project, serverId: 'srv_new'}))
  await fail(new DeploymentFailure('start', 'no'))
  expect(asked).toEqual(['srv_old'])
  expect((await queue.deployment(deployment.id)).status).toBe('failed')
})
