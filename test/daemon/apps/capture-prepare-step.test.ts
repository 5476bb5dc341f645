import {execFile} from 'node:child_process'
import {describe, expect, it} from 'vitest'
import {capturePrepareStep, type CaptureParts} from '../../../daemon/apps/capture-prepare-step.js'
import {PrepareStep} from '../../../src/catalog/definition.js'
import type {Clock} from '../../../daemon/clock.js'
import {Fault} from '../../../src/contract/faults.js'
import {temporaryFolder} from '../start-test-daemon.js'

interface Bench {
  /** Shell texts that ran, in order, and the pauses between them. */
  readonly seen: (string | number)[]
  take(step: object): Promise<string>
}

const limitMs = 15_000

/** Commands are run by a real shell in a folder of this machine. Pauses are over at once; a command that hangs meets its limit. */
async function bench(fault?: Fault): Promise<Bench> {
  const folder = await temporaryFolder()
  const seen: (string | number)[] = []
  let endLimit = () => {}
  const clock: Clock = {
    now: () => 0,
    after(delayMs, callback) {
      if (delayMs === limitMs) {
        endLimit = callback
        return () => undefined
      }
      seen.push(delayMs)
      const timer = setImmediate(callback)
      return () => clearImmediate(timer)
    },
  }
  const exec: CaptureParts['engine']['exec'] = (_id, [program = '', ...words], {signal}) =>
    new Promise((resolve, reject) => {
      seen.push(words.at(-1) ?? '')
      if (fault !== undefined) return reject(fault)
      const child = execFile(program, words, {cwd: folder, signal, killSignal: 'SIGKILL'}, (_error, stdout, stderr) => {
        if (signal.aborted) reject(signal.reason)
        else resolve({exitCode: child.exitCode, signal: null, stdout, stderr, truncated: false})
      })
      if (words.at(-1)?.startsWith('hang') === true) endLimit()
    })
  return {
    seen,
    take: (step) => capturePrepareStep({engine: {exec}, clock, containerId: 'c1', signal: new AbortController().signal}, PrepareStep.parse({service: 'web', capture: 'value', command: 'echo x', ...step})),
  }
}

describe('a prepare step', () => {
  it('gives what its command prints to stdout, trimmed', async () => {
    expect(await (await bench()).take({command: 'echo noise >&2; echo; echo "  the value "; echo'})).toBe('the value')
  })

  it('gives the first group of a pattern, looked for in all that was printed', async () => {
    const {take} = await bench()
    expect(await take({command: 'echo \'{"name":"a","key":" 12 "}\'', capturePattern: '"key":"([^"]+)"'})).toBe('12')
    expect(await take({command: 'echo GKab12', capturePattern: '^(GK[0-9a-f]+)$'})).toBe('GKab12')
    expect(await take({command: 'echo abc', capturePattern: 'b.'})).toBe('bc')
  })

  it('is tried five times with three seconds between, and not again once it went well', async () => {
    const {take, seen} = await bench()
    const command = 'echo x >>tries; test "$(wc -l <tries)" -ge 3 && echo fine'
    expect(await take({command})).toBe('fine')
    expect(seen).toEqual([command, 3000, command, 3000, command])
    await expect((await bench()).take({command: 'echo no such user >&2; exit 4'})).rejects.toThrow('the command ended with 4: no such user')
  })

  it.each([
    ['prints nothing', {command: 'true'}, 'the command printed nothing'],
    ['prints something else', {command: 'echo none', capturePattern: 'key=(\\w+)'}, 'what the command printed does not hold the value'],
    ['prints too much', {command: 'seq 1 5000'}, 'the value is longer than 10000 characters'],
    ['takes too long', {command: 'hang=1; while :; do :; done'}, 'the command took longer than 15 s'],
  ])('fails after five tries where its command %s', async (_what, step, message) => {
    const {take, seen} = await bench()
    await expect(take(step)).rejects.toThrow(message)
    expect(seen.filter((entry) => typeof entry === 'string')).toHaveLength(5)
  })

  it('waits until the service is ready, in the steps that it names', async () => {
    const {take, seen} = await bench()
    const test = 'echo x >>looks; test "$(wc -l <looks)" -ge 3'
    expect(await take({phase: 'post-ready', readiness: {test, interval: 250, retries: 5}})).toBe('x')
    expect(seen).toEqual([test, 250, test, 250, test, 'echo x'])
    const never = await bench()
    await expect(never.take({phase: 'post-ready', readiness: {test: 'false', retries: 2}})).rejects.toThrow('not ready after 2 looks')
    expect(never.seen).toEqual(['false', 3000, 'false'])
  })

  it('does not wait for readiness after the start alone', async () => {
    const {take, seen} = await bench()
    expect(await take({phase: 'post-start', readiness: {test: 'false'}})).toBe('x')
    expect(seen).toEqual(['echo x'])
  })

  it('counts a container that is gone as a failure of its own, and a server that is gone not', async () => {
    await expect((await bench(new Fault('CONFLICT', 'the container is restarting'))).take({})).rejects.toMatchObject({name: 'PrepareFailure'})
    await expect((await bench(new Fault('SERVER_UNREACHABLE', 'it is away'))).take({})).rejects.toMatchObject({code: 'SERVER_UNREACHABLE'})
  })
})
