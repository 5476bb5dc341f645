import {readdir, readFile} from 'node:fs/promises'
import {join} from 'node:path'
import {describe, expect, test, vi} from 'vitest'
import {durableCommand, followRun, runDurably} from '../daemon/servers/durable-cases.js'
import {openSshMissing, startOpenSsh} from '../lab/openssh.js'
import {sharedPart} from '../lab/shared-part.js'
import {labRunner} from '../lab/ssh-target.js'

const missing = openSshMissing()

describe.skipIf(missing !== null)('a run over SSH while things break', () => {
  const lab = sharedPart(startOpenSsh)
  const user = sharedPart(() => lab.user())
  const server = sharedPart(() => lab.server())

  const counting = 'echo begun >>"$HOME/begun-$NAME"; i=0; while [ $i -lt 40 ]; do i=$((i+1)); echo "line $i"; sleep 0.05; done; exit 5'
  const expected = Array.from({length: 40}, (_, index) => `line ${index + 1}\n`).join('')
  const begun = (name: string) => readFile(join(user.home, `begun-${name}`), 'utf8')
  const command = (id: string) => durableCommand(id, counting, {env: {NAME: id}})

  test('a dropped connection rejects, and attaching again yields the whole output once', async () => {
    const first = followRun((options) => labRunner(lab, server, user).durable.run(command('drop'), options))
    await vi.waitUntil(() => Buffer.concat(first.taken.output).includes('line 5\n'), {timeout: 10_000})
    const dropped = expect(first.done).rejects.toMatchObject({code: 'SERVER_UNREACHABLE', message: /dropped/})
    await server.dropConnections()
    await dropped
    const taken = Buffer.concat(first.taken.output)
    const rest = await followRun((options) => labRunner(lab, server, user).durable.attach('drop', options), {output: taken.length, stderr: 0}).done
    expect(Buffer.concat([taken, rest.output]).toString()).toBe(expected)
    expect(rest.end).toMatchObject({kind: 'exit', exitCode: 5})
    expect(await begun('drop')).toBe('begun\n')
  })

  test('a server whose sshd is killed and started again goes on with the run, and running again starts nothing', async () => {
    const runner = labRunner(lab, server, user)
    const first = followRun((options) => runner.durable.run(command('restart'), options))
    await vi.waitUntil(() => Buffer.concat(first.taken.output).includes('line 3\n'), {timeout: 10_000})
    const dropped = expect(first.done).rejects.toMatchObject({code: 'SERVER_UNREACHABLE', message: /dropped/})
    await server.kill()
    await dropped
    await expect(runDurably(runner.durable, command('restart'))).rejects.toMatchObject({code: 'SERVER_UNREACHABLE', details: {code: 'refused'}})
    await server.start()
    const whole = await runDurably(runner.durable, command('restart'))
    expect(whole.output.toString()).toBe(expected)
    expect(whole.end.exitCode).toBe(5)
    expect(await begun('restart')).toBe('begun\n')
  })

  test('a run whose processes are gone, as after a reboot, is lost and keeps its output', async () => {
    const victim = await lab.user()
    const runner = labRunner(lab, server, victim)
    const first = followRun((options) => runner.durable.run(durableCommand('reboot', 'echo before; sleep 600'), options))
    await vi.waitUntil(() => Buffer.concat(first.taken.output).includes('before'), {timeout: 10_000})
    const dropped = expect(first.done).rejects.toMatchObject({code: 'SERVER_UNREACHABLE', message: /dropped/})
    await server.kill()
    await lab.killProcessesOf(victim)
    await dropped
    await server.start()
    const again = await runDurably(runner.durable, durableCommand('reboot', 'echo before; sleep 600'))
    expect(again.end).toMatchObject({kind: 'lost', exitCode: null, signal: null, finishedAt: null})
    expect(again.output.toString()).toBe('before\n')
  })

  test('no secret and no script shows in any process list while a run is on', async () => {
    const secret = 'planted-secret-7731'
    const runner = labRunner(lab, server, user)
    const run = followRun((options) =>
      runner.durable.run(durableCommand('secret', `: planted-script-4412; echo "$TOKEN" | wc -c; sleep 1`, {env: {TOKEN: secret}}), options),
    )
    const seen = new Set<string>()
    let over = false
    const watching = (async () => {
      while (!over) for (const line of await commandLines()) if (/planted-(secret|script)/.test(line)) seen.add(line)
    })()
    await runner.exec(['sh', '-c', 'sleep 0.3'], {env: {TOKEN: secret}, signal: AbortSignal.timeout(10_000)})
    const {output} = await run.done
    over = true
    await watching
    expect(output.toString().trim()).toBe(String(secret.length + 1))
    expect([...seen]).toEqual([])
  })

  test('fifty runs at once over one server all give their own output', async () => {
    const runner = labRunner(lab, server, user)
    const outcomes = await Promise.all(
      Array.from({length: 50}, (_, index) => runDurably(runner.durable, durableCommand(`many-${index}`, `echo "${index} begins"; sleep 0.2; echo "${index} ends"; exit ${index}`))),
    )
    outcomes.forEach((outcome, index) => {
      expect(outcome.output.toString()).toBe(`${index} begins\n${index} ends\n`)
      expect(outcome.end.exitCode).toBe(index)
    })
  })
})

async function commandLines(): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
  return Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')))
}
