import {expect, it} from 'vitest'
import {systemClock} from '../../../../daemon/clock.js'
import {collections} from '../../../../daemon/collections.js'
import {Projects} from '../../../../daemon/projects/records.js'
import {openFileStore} from '../../../../daemon/store/file-store.js'
import {quietLog} from '../deployments/queue-fixture.js'
import {startTestDaemon, temporaryFolder} from '../../start-test-daemon.js'

it('a project whose deletion was cut off with the daemon can be deployed again', async () => {
  const home = await temporaryFolder()
  const first = await startTestDaemon({home})
  const {id} = (await first.call('POST', '/api/projects', {name: 'Shop', image: 'lab/web:1'})).body.data
  await first.daemon.stop()
  const {store} = await openFileStore({home, collections, clock: systemClock, log: quietLog})
  await store.transaction(async (transaction) => {
    const project = await transaction.get(Projects, id as string)
    if (project !== undefined) await transaction.put(Projects, {...project, deletionInProgress: true})
  })
  await store.close()
  const second = await startTestDaemon({home})
  expect((await second.call('GET', `/api/projects/${id}`)).body.data.deletionInProgress).toBe(false)
  expect((await second.call('POST', '/api/deployments', {projectId: id})).status).toBe(202)
})
