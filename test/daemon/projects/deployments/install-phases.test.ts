import {describe, expect, it} from 'vitest'
import {installPhasesOf} from '../../../../daemon/projects/deployments/install-phases.js'

type Record = Parameters<typeof installPhasesOf>[0]
type Steps = Partial<{[K in Record['steps'][number]['step']]: Record['steps'][number]['status']}>

function phases(steps: Steps, more: Partial<Record> = {}): string {
  const all = (['prepare', 'clone', 'install', 'build', 'deploy'] as const).map((step) => ({step, status: steps[step] ?? ('pending' as const), startedAt: null, finishedAt: null}))
  const record: Record = {app: {hasSetup: true}, steps: all, status: 'building', slot: 'active', stage: 'before-up', ...more}
  return installPhasesOf(record).map(({id, status}) => `${id} ${status}`).join(', ')
}

describe('the phases of an install', () => {
  it('are none for a project that is no app', () => {
    expect(phases({}, {app: null})).toBe('')
  })

  it('leave images out at once where all of them are pulled, and count the pull to the services', () => {
    expect(phases({install: 'running', build: 'skipped'})).toBe('images skipped, services active, app-setup pending, ready pending')
    expect(phases({install: 'completed', build: 'skipped', deploy: 'running'})).toBe('images skipped, services active, app-setup pending, ready pending')
  })

  it('begin with the images where one is built', () => {
    expect(phases({install: 'running'})).toBe('images active, services pending, app-setup pending, ready pending')
    expect(phases({install: 'completed', build: 'running'})).toBe('images active, services pending, app-setup pending, ready pending')
    expect(phases({install: 'completed', build: 'completed', deploy: 'running'})).toBe('images done, services active, app-setup pending, ready pending')
    expect(phases({install: 'skipped', build: 'failed', deploy: 'skipped'}, {slot: null, status: 'failed'})).toBe('images failed, services skipped, app-setup skipped, ready failed')
  })

  it('tell of the setup only where the app has one', () => {
    const up = {install: 'completed', build: 'skipped', deploy: 'running'} as const
    expect(phases(up, {stage: 'after-up'})).toBe('images skipped, services done, app-setup active, ready pending')
    expect(phases({...up, deploy: 'failed'}, {stage: 'after-up', slot: null, status: 'failed'})).toBe('images skipped, services done, app-setup failed, ready failed')
    expect(phases({...up, deploy: 'completed'}, {stage: 'after-up', slot: null, status: 'ready', app: {hasSetup: false}})).toBe('images skipped, services done, ready done')
  })

  it('tell where services did not come up', () => {
    expect(phases({install: 'completed', build: 'skipped', deploy: 'failed'}, {slot: null, status: 'failed', stage: 'up'})).toBe('images skipped, services failed, app-setup skipped, ready failed')
    expect(phases({install: 'failed', build: 'skipped', deploy: 'skipped'}, {slot: null, status: 'failed'})).toBe('images skipped, services failed, app-setup skipped, ready failed')
  })
})
