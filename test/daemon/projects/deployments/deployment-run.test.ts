import {expect, it, onTestFinished} from 'vitest'
import {systemClock} from '../../../../daemon/clock.js'
import {createRecordEvent} from '../../../../daemon/events/event-log.js'
import {RunFeed} from '../../../../daemon/jobs/run-feed.js'
import {DeploymentRun, type DeploymentRunParts} from '../../../../daemon/projects/deployments/deployment-run.js'
import {openOutputFiles} from '../../../../daemon/store/output-files.js'
import {Fault} from '../../../../src/contract/faults.js'
import {temporaryFolder} from '../../start-test-daemon.js'
import {openQueue, quietLog} from './queue-fixture.js'

/** A deployment that waits for its server, which the test lets fail. */
async function begun() {
  const queue = await openQueue()
  const project = await queue.addProject({name: 'Shop', image: 'a:1'})
  const {id} = (await queue.ask({projectId: project.id})).deployment
  const outputs = openOutputFiles(await temporaryFolder())
  onTestFinished(() => outputs.close())
  let fail: (error: Error) => void = () => undefined
  let isAsked = false
  const server = new Promise<never>((_, reject) => (fail = reject))
  const parts = {
    store: queue.store, outputs, clock: systemClock, log: quietLog, feed: new RunFeed(), sealer: queue.sealer, recordEvent: createRecordEvent(systemClock),
    engines: {
      engineFor() {
        isAsked = true
        return server
      },
    },
  } as unknown as DeploymentRunParts
  const work = new DeploymentRun(parts, id)
  const running = work.run()
  await expect.poll(() => isAsked).toBe(true)
  return {work, running, fail: (error: Error) => fail(error), deployment: () => queue.deployment(id)}
}

const broken = new Fault('SOURCE_UNAVAILABLE', 'the repository can not be read any more; deploy again')

it('is left to the next daemon where this one stops before anything was touched, in whatever words its work ends', async () => {
  const {work, running, fail, deployment} = await begun()
  work.release()
  fail(broken)
  await running
  expect(await deployment()).toMatchObject({slot: 'active', status: 'building', errorMessage: null})
})

it('fails where nobody stops, and is cancelled where somebody asked for that, although the daemon stops too', async () => {
  const failing = await begun()
  failing.fail(broken)
  await failing.running
  expect(await failing.deployment()).toMatchObject({slot: null, status: 'failed', errorMessage: broken.message})
  const cancelled = await begun()
  cancelled.work.cancel()
  cancelled.work.release()
  cancelled.fail(broken)
  await cancelled.running
  expect(await cancelled.deployment()).toMatchObject({slot: null, status: 'cancelled'})
})
