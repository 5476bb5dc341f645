import {describe, expect, test} from 'vitest'
import {QuietWatch} from '../../../../daemon/projects/deployments/quiet-watch.js'
import {ManualClock} from '../../manual-clock.js'

function start() {
  const clock = new ManualClock('2026-01-01T00:00:00Z')
  const lines: string[] = []
  const watch: QuietWatch = new QuietWatch(clock, (line) => {
    lines.push(line)
    watch.heard()
  })
  return {clock, lines, watch}
}

describe('a silent deployment', () => {
  test('says what it waits for every half minute, and for how long it has', () => {
    const {clock, lines, watch} = start()
    let missing = 'web, db'
    watch.begin(() => `${missing} to be up`)
    clock.advance(29_999)
    expect(lines).toEqual([])
    clock.advance(30_001)
    missing = 'db'
    clock.advance(90_000)
    expect(lines).toEqual([
      'still waiting for web, db to be up (30 s)', 'still waiting for web, db to be up (60 s)',
      'still waiting for db to be up (90 s)', 'still waiting for db to be up (2 min)', 'still waiting for db to be up (2 min)',
    ])
  })

  test('says nothing while others speak, before the first step, and after the end', () => {
    const {clock, lines, watch} = start()
    watch.heard()
    clock.advance(60_000)
    watch.begin(() => 'the build')
    for (let second = 0; second < 90; second += 10) {
      clock.advance(10_000)
      watch.heard()
    }
    watch.end()
    clock.advance(60_000)
    expect(lines).toEqual([])
    expect(clock.timers).toBe(0)
  })
})
