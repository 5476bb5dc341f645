import {expect, it} from 'vitest'
import {systemClock} from '../../../../daemon/clock.js'
import {HealthWatch} from '../../../../daemon/projects/deployments/health-watch.js'
import {InterruptionMeter} from '../../../../daemon/projects/deployments/interruption-meter.js'
import type {Engine, EngineEvent} from '../../../../daemon/servers/engine/engine.js'
import {idle} from '../sources/tar-entries.js'

it('is over, as with a connection that broke, when the engine ends its events in good order', async () => {
  const engine = {
    async *events(): AsyncGenerator<EngineEvent> {},
    containers: async () => [],
  } as unknown as Engine
  const service = {serviceId: 'svc_1', name: 'web', changedIn: 'dep_1', mayEnd: false, isNew: true}
  const watch = new HealthWatch({engine, clock: systemClock, projectId: 'proj_1', services: [service], settleMs: 10, meter: new InterruptionMeter(), onUp: () => undefined, signal: idle})
  await expect(watch.untilUp()).rejects.toMatchObject({code: 'ENGINE_UNAVAILABLE'})
  await watch.close()
})
