import {expect, it} from 'vitest'
import {JobLinks} from '../../../daemon/jobs/job-links.js'
import {Jobs} from '../../../daemon/jobs/records.js'
import {openRequests} from './run-store-fixture.js'

it('knows who waits for a job or an event, and looks again when it is told of a change', async () => {
  const {store, addJob} = await openRequests()
  const links = new JobLinks(store)
  expect(await links.dependentsOf('custom:a')).toEqual([])
  const job = await addJob({key: 'custom:b', dependsOn: ['custom:a'], triggerEvents: ['deployment.failed']})
  links.jobChanged()
  expect(await links.dependentsOf('custom:a')).toEqual(['custom:b'])
  expect(await links.armedFor('org_default', 'deployment.failed')).toEqual(['custom:b'])
  expect(await links.armedFor('org_other', 'deployment.failed')).toEqual([])
  await store.transaction((transaction) => transaction.put(Jobs, {...job, dependsOn: []}))
  links.jobChanged()
  expect(await links.dependentsOf('custom:a')).toEqual([])
})
