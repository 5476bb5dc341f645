import {expect, it} from 'vitest'
import {createCloudBilling, type BilledServer} from '../../../daemon/jobs/billing.js'
import {openRequests} from './run-store-fixture.js'

const paid: BilledServer = {workspaceId: 'ws_1', powerState: 'running', workspace: {subscription: 'active', balanceCents: 1}}

it.each<[string, BilledServer | undefined, string | undefined]>([
  ['passes a paid server that is running', paid, undefined],
  ['passes a trial', {...paid, workspace: {subscription: 'trialing', balanceCents: 1}}, undefined],
  ['leaves a deleted server to the run itself', undefined, undefined],
  ['refuses a server of no workspace', {...paid, workspaceId: null}, 'belongs to no workspace'],
  ['refuses an unknown workspace', {...paid, workspace: undefined}, 'belongs to no workspace'],
  ['refuses a subscription that has ended', {...paid, workspace: {subscription: 'past_due', balanceCents: 1}}, 'no active subscription'],
  ['refuses an empty balance', {...paid, workspace: {subscription: 'active', balanceCents: 0}}, 'no balance'],
  ['refuses a server that is not running, and does not wake it', {...paid, powerState: 'stopped'}, 'is not running'],
])('%s', async (_, server, message) => {
  const {store} = await openRequests()
  const refusal = await createCloudBilling(() => Promise.resolve(server))(store, ['srv_a'])
  if (message === undefined) expect(refusal).toBeUndefined()
  else expect(refusal).toMatchObject({serverId: 'srv_a', message: expect.stringContaining(message)})
})
