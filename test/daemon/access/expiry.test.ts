import {expect, it} from 'vitest'
import {systemClock, type Clock} from '../../../daemon/clock.js'
import {startTestDaemon} from '../start-test-daemon.js'

it('ends a token at its expiry and still lists it, not revoked', async () => {
  let ahead = 0
  const clock: Clock = {now: () => systemClock.now() + ahead, after: systemClock.after}
  const daemon = await startTestDaemon({}, {clock})
  const created = await daemon.call('POST', '/api/tokens', {name: 'short', fullAccess: true, expiresInDays: 1})
  const {token, id} = created.body.data
  ahead = 86_400_000 - 60_000
  expect((await daemon.call('GET', '/api/auth/whoami', undefined, token)).status).toBe(200)
  ahead = 86_400_000 + 1
  expect((await daemon.call('GET', '/api/auth/whoami', undefined, token)).body.code).toBe('INVALID_TOKEN')
  const rows = (await daemon.call('GET', '/api/tokens')).body.data
  expect(rows.find((row: {id: string}) => row.id === id)).toMatchObject({revokedAt: null, useCount: 1})
})
