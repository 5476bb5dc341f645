import {readdir, readFile} from 'node:fs/promises'
import {text} from 'node:stream/consumers'
import {describe, expect, test} from 'vitest'
import type {PresentedKey} from '../../../../daemon/servers/ssh/open-connection.js'
import type {LabUser} from '../../../lab/lab-users.js'
import {freePort} from '../../../lab/lab-ports.js'
import {runCommand} from '../../../lab/lab-processes.js'
import {openSshMissing, startOpenSsh} from '../../../lab/openssh.js'
import {sharedPart} from '../../../lab/shared-part.js'
import {hopTo, labPool, labRunner, runnerTo, targetOf} from '../../../lab/ssh-target.js'
import {ManualClock} from '../../manual-clock.js'
import {durableCommand, runDurably} from '../durable-cases.js'

const missing = openSshMissing()

describe.skipIf(missing !== null)('pooled connections', () => {
  const lab = sharedPart(startOpenSsh)
  const server = sharedPart(() => lab.server())
  const user = sharedPart(() => lab.user())

  const signal = () => AbortSignal.timeout(20_000)
  const target = () => targetOf([hopTo(server, user, {method: 'key', privateKey: lab.key})])

  test('fifty commands share few connections, and each gets its own answer', async () => {
    const pool = labPool()
    const runner = runnerTo(target(), pool)
    const results = await Promise.all(Array.from({length: 50}, (_, index) => runner.exec(['sh', '-c', `sleep 0.1; echo ${index}`], {signal: signal()})))
    expect(results.map(({stdout}) => Number(stdout))).toEqual(Array.from({length: 50}, (_, index) => index))
    expect(pool.connectionCount('srv_lab')).toBeLessThanOrEqual(8)
    pool.close()
  })

  test('a server that takes two commands at a time gets the others in turn', async () => {
    const narrow = await lab.server({options: ['MaxSessions=2']})
    const pool = labPool({rules: {maxChannels: 10, maxConnections: 1, idleMs: 60_000}})
    const runner = labRunner(lab, narrow, user, pool)
    const results = await Promise.all(Array.from({length: 9}, (_, index) => runner.exec(['echo', String(index)], {signal: signal()})))
    expect(results.map(({stdout}) => Number(stdout))).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8])
    expect(pool.connectionCount('srv_lab')).toBe(1)
    pool.close()
  })

  test('a connection goes after five idle minutes, and not while a command runs', async () => {
    const clock = new ManualClock(0)
    const pool = labPool({clock})
    const runner = runnerTo(target(), pool)
    await runner.exec(['true'], {signal: signal()})
    await expect.poll(() => pool.connectionCount('srv_lab')).toBe(1)
    const long = runner.exec(['sh', '-c', 'read -r word; echo $word'], {signal: signal(), input: 'done\n'})
    clock.advance(4 * 60_000)
    expect((await long).stdout).toBe('done\n')
    clock.advance(4 * 60_000)
    expect(pool.connectionCount('srv_lab')).toBe(1)
    await expect.poll(() => (clock.advance(60_000), pool.connectionCount('srv_lab')), {timeout: 5000}).toBe(0)
    pool.close()
  })

  test('a connection that was opened for commands that others took goes too', async () => {
    const clock = new ManualClock(0)
    const pool = labPool({clock, rules: {maxChannels: 2, maxConnections: 4, idleMs: 60_000}})
    const runner = runnerTo(target(), pool)
    await Promise.all(Array.from({length: 8}, () => runner.exec(['true'], {signal: signal()})))
    await expect.poll(() => (clock.advance(61_000), pool.connectionCount('srv_lab')), {timeout: 5000}).toBe(0)
    pool.close()
  })

  test('signing in anew leaves what runs alone, and what comes next has the groups of now', async () => {
    const late = await lab.user({isRoot: false})
    const pool = labPool()
    const runner = runnerTo(targetOf([hopTo(server, late, {method: 'key', privateKey: lab.key})]), pool)
    const running = await runner.open(['cat'], {signal: signal()})
    await runCommand('usermod', ['-aG', 'games', late.name])
    const groups = async () => (await runner.exec(['id', '-Gn'], {signal: signal()})).stdout
    expect(await groups()).not.toMatch(/games/)
    pool.signInAnew('srv_lab')
    expect(await groups()).toMatch(/games/)
    expect(pool.connectionCount('srv_lab')).toBe(2)
    running.end('still here')
    expect(await text(running)).toBe('still here')
    await expect.poll(() => pool.connectionCount('srv_lab')).toBe(1)
    pool.close()
  })

  test('a dead connection is replaced without anyone noticing', async () => {
    const pool = labPool()
    const runner = runnerTo(target(), pool)
    await runner.exec(['true'], {signal: signal()})
    await server.dropConnections()
    await expect.poll(() => pool.connectionCount('srv_lab')).toBe(0)
    expect((await runner.exec(['echo', 'back'], {signal: signal()})).stdout).toBe('back\n')
    pool.close()
  })

  test('after two failures automatic work fails at once for 30 seconds, and what a person asks for is tried', async () => {
    const clock = new ManualClock(0)
    const pool = labPool({clock})
    const away = await lab.server()
    const to = targetOf([hopTo(away, user, {method: 'key', privateKey: lab.key})])
    await away.kill()
    const open = (automatic: boolean) => pool.open({target: to, automatic}, 'true', signal())
    for (let failure = 0; failure < 2; failure++) await expect(open(true)).rejects.toMatchObject({details: {code: 'refused'}})
    await away.start()
    await expect(open(true)).rejects.toMatchObject({details: {code: 'refused'}})
    const asked = await open(false)
    asked.close()
    const after = await open(true)
    after.close()
    pool.close()
  })

  test('the breaker lets automatic work through again when its time is over', async () => {
    const clock = new ManualClock(0)
    const pool = labPool({clock})
    const hop = {...hopTo(server, user, {method: 'key', privateKey: lab.key}), port: await freePort()}
    const open = () => pool.open({target: targetOf([hop]), automatic: true}, 'true', signal())
    await expect(open()).rejects.toThrow()
    await expect(open()).rejects.toThrow()
    const late = await lab.server({port: hop.port})
    await expect(open()).rejects.toMatchObject({details: {code: 'refused'}})
    clock.advance(30_001)
    await expect(open()).rejects.toMatchObject({code: 'HOST_KEY_CHANGED'})
    await late.kill()
  })

  test('an edited server gets new connections at once', async () => {
    const pool = labPool()
    const first = await pool.open({target: target(), automatic: false}, 'sleep 30', signal())
    const other = targetOf([hopTo(server, user, {method: 'password', password: user.password})])
    const second = await pool.open({target: other, automatic: false}, 'true', signal())
    await expect(first.ended).rejects.toMatchObject({code: 'SERVER_UNREACHABLE'})
    second.stdout.resume()
    second.stderr.resume()
    expect(await second.ended).toEqual({exitCode: 0, signal: null})
    pool.close()
  })

  test('a server without a pin tells the key it showed', async () => {
    const seen: PresentedKey[] = []
    const pool = labPool({onConnected: async (_target, presented) => void seen.push(...presented)})
    const hop = hopTo(server, user, {method: 'key', privateKey: lab.key}, {expectedFingerprint: null})
    await runnerTo(targetOf([hop]), pool).exec(['true'], {signal: signal()})
    expect(seen).toEqual([{host: server.host, hostKeyFingerprint: server.fingerprint()}])
    pool.close()
  })

  test('a signal ends a waiting command and the one that runs', async () => {
    const pool = labPool({rules: {maxChannels: 1, maxConnections: 1, idleMs: 60_000}})
    const runner = runnerTo(target(), pool)
    const stop = new AbortController()
    const running = runner.exec(['sleep', '6543'], {signal: stop.signal})
    const waiting = runner.exec(['echo', 'never'], {signal: stop.signal})
    const both = Promise.all([expect(running).rejects.toThrow('enough'), expect(waiting).rejects.toThrow('enough')])
    await expect.poll(() => isRunning('sleep 6543')).toBe(true)
    stop.abort(new Error('enough'))
    await both
    await expect.poll(() => isRunning('sleep 6543'), {timeout: 10_000}).toBe(false)
    expect((await runner.exec(['echo', 'free'], {signal: signal()})).stdout).toBe('free\n')
    pool.close()
  })

  test('becomes root through sudo, with and without a password, and says when sudo refuses', async () => {
    const users = {
      quiet: await lab.user({isRoot: false, sudo: 'without_password'}),
      asked: await lab.user({isRoot: false, sudo: 'with_password'}),
      none: await lab.user({isRoot: false}),
    }
    const who = async (each: LabUser, more: {password?: string} = {}) => {
      const pool = labPool()
      const runner = runnerTo(targetOf([hopTo(server, each, {method: null, privateKey: lab.key, ...more})]), pool)
      try {
        const plain = await runner.exec(['id', '-un'], {signal: signal()})
        const root = await runner.exec(['sh', '-c', 'id -u; echo "$WORD"; cat'], {signal: signal(), sudo: true, env: {WORD: 'kept'}, input: 'input'})
        return [plain.stdout.trim() === each.name, root.stdout]
      } finally {
        pool.close()
      }
    }
    expect(await who(users.quiet)).toEqual([true, '0\nkept\ninput'])
    expect(await who(users.asked, {password: users.asked.password})).toEqual([true, '0\nkept\ninput'])
    await expect(who(users.asked)).rejects.toMatchObject({code: 'SERVER_UNREACHABLE', details: {code: 'permission_denied'}})
    await expect(who(users.none, {password: users.none.password})).rejects.toMatchObject({details: {code: 'permission_denied', hint: /sudoers/}})
  })

  test('runs durably for a user whose shell is fish, and for one whose login scripts talk', async () => {
    const fish = await lab.user({shell: '/usr/bin/fish'})
    expect((await runDurably(labRunner(lab, server, fish).durable, durableCommand('fish', 'set word fishy; echo $word'))).output.toString()).toBe('fishy\n')
    const noisy = await lab.user()
    const {writeFile} = await import('node:fs/promises')
    await writeFile(`${noisy.home}/.bashrc`, 'echo welcome; echo oh >&2\n')
    const outcome = await runDurably(labRunner(lab, server, noisy).durable, durableCommand('noisy', 'echo real'))
    expect([outcome.output.toString().includes('real\n'), outcome.end.exitCode]).toEqual([true, 0])
  })
})

async function isRunning(command: string): Promise<boolean> {
  const lines = await Promise.all((await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')))
  return lines.some((line) => line.replaceAll('\0', ' ').trim() === command)
}
