import {createHash} from 'node:crypto'
import {mkdtemp, readFile, rm} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {afterEach, beforeEach, describe, expect, test} from 'vitest'
import type {DurableCommand, DurableRunner} from '../../../../daemon/servers/runner.js'
import {durableCommand, followRun, runDurably} from '../durable-cases.js'
import {posixShells, shellRunner} from './shells.js'

describe.each(posixShells)('a durable run under %s', (name, shell) => {
  let runsFolder: string
  let runner: DurableRunner
  beforeEach(async () => {
    runsFolder = await mkdtemp(join(tmpdir(), 'moorage-runs-'))
    runner = shellRunner({shell, runsFolder})
  })
  afterEach(() => rm(runsFolder, {recursive: true, force: true}))

  const run = (script: string, more: Partial<DurableCommand> = {}) => runDurably(runner, durableCommand('r', script, more))
  const file = (path: string) => readFile(join(runsFolder, path), 'utf8')

  test('tells exit codes and signals apart, as far as a shell can', async () => {
    // After 128 plus INT or PIPE no shell can; bash can not after TERM either.
    const cases: [string, number | null, string | null][] = [
      ['true', 0, null], ['exit 3', 3, null], ['exit 137', 137, null], ['kill -KILL $$', null, 'SIGKILL'], ['kill -TERM $$', null, 'SIGTERM'],
      ['kill -INT $$', null, 'SIGINT'], ['kill -SEGV $$', null, 'SIGSEGV'], ["sh -c 'kill -KILL $$'; exit 9", 9, null], ['no-such-command-here', 127, null],
      ...(name === 'bash' ? [] : [['exit 143', 143, null] as [string, number, null]]),
    ]
    for (const [index, [script, exitCode, signal]] of cases.entries()) {
      const {end} = await runDurably(runner, durableCommand(`r${index}`, script))
      expect([script, end.exitCode, end.signal]).toEqual([script, exitCode, signal])
    }
  })

  test('keeps NUL, broken UTF-8 and a line of ten megabytes as they are', async () => {
    const {output} = await run(String.raw`printf 'a\0b\377\n'; head -c 10000000 /dev/zero | tr '\0' x; echo; printf end`)
    expect(output.subarray(0, 5)).toEqual(Buffer.from([97, 0, 98, 255, 10]))
    expect(output.length).toBe(5 + 10_000_000 + 1 + 3)
  })

  test('keeps the head up to the limit, the last 64 KiB, and tells exactly what it dropped', async () => {
    const lines = Array.from({length: 60_000}, (_, index) => `${index}\n`).join('')
    const {output, end} = await run('i=0; while [ $i -lt 60000 ]; do echo $i; i=$((i+1)); done', {outputLimitBytes: 100_000})
    expect(output.length).toBe(100_000 + 65_536)
    expect(output.subarray(0, 100_000).toString()).toBe(lines.slice(0, 100_000))
    expect(output.subarray(100_000).toString()).toBe(lines.slice(-65_536))
    expect(end.droppedBytes.output).toBe(lines.length - 100_000 - 65_536)
    expect(end.exitCode).toBe(0)
  })

  test('drops nothing at the limit, and keeps all up to 64 KiB past it', async () => {
    for (const [index, bytes] of [99_999, 100_000, 100_001, 165_536, 165_537].entries()) {
      const {output, end} = await runDurably(runner, durableCommand(`r${index}`, `head -c ${bytes} /dev/zero`, {outputLimitBytes: 100_000}))
      expect([output.length, end.droppedBytes.output]).toEqual([Math.min(bytes, 165_536), Math.max(0, bytes - 165_536)])
    }
  })

  test('ends with the main command although a leftover holds the output, and the leftover meets no broken pipe', async () => {
    const {output, end} = await run(`(trap 'echo PIPE >"${runsFolder}/pipe"' PIPE; sleep 1.5; i=0; while [ $i -lt 20000 ]; do echo noise; i=$((i+1)); done; echo done >"${runsFolder}/left") & echo main; exit 6`)
    expect([output.toString(), end.exitCode]).toEqual(['main\n', 6])
    await expect.poll(() => file('left').catch(() => ''), {timeout: 20_000}).toBe('done\n')
    await expect(file('pipe')).rejects.toThrow()
    expect((await file('r/output')).length).toBe(5)
  })

  test('waits for a command that closed its output', async () => {
    const {end} = await run('exec >&- 2>&-; sleep 0.3; exit 4')
    expect(end.exitCode).toBe(4)
    expect(Date.parse(end.finishedAt ?? '') - Date.parse(end.startedAt ?? '')).toBeGreaterThanOrEqual(280)
  })

  test('ends a group that ignores TERM after the grace, when its time is up', async () => {
    const {end, output} = await run("trap '' TERM; (trap '' TERM; sleep 30) & echo up; while :; do sleep 0.1; done", {timeoutMs: 300, killGraceMs: 300})
    expect([end.signal, end.timedOut, output.toString()]).toEqual(['SIGKILL', true, 'up\n'])
  })

  test('lets a command use its time limit to clean up', async () => {
    const {end, output} = await run("trap 'echo cleaned; exit 8' TERM; while :; do sleep 0.05; done", {timeoutMs: 300, killGraceMs: 5000})
    expect([end.exitCode, end.timedOut]).toEqual([8, true])
    expect(output.toString()).toContain('cleaned\n')
  })

  test('gives the command a clean environment: no variable of ours, no ignored signal, no open descriptor, no input', async () => {
    const {output} = await run(`env | grep -c '^m_\\|^MOORAGE'; cat; ls /proc/self/fd | grep '^.$' | tr '\\n' ' '; grep SigIgn /proc/self/status; env | grep -E '^(A|DEBIAN_FRONTEND)='`, {
      env: {A: "it's\n\"$HOME\"", m_code: 'mine', IFS: 'x'},
    })
    expect(output.toString()).toBe("1\n0 1 2 3 SigIgn:\t0000000000000000\nA=it's\nDEBIAN_FRONTEND=noninteractive\n")
  })

  test('runs the command in a session of its own', async () => {
    const {output} = await run('read -r pid name state ppid group session rest </proc/$$/stat; echo $(($pid == $group && $pid == $session))')
    expect(output.toString()).toBe('1\n')
  })

  test('takes secrets of 64 KB with every kind of character', async () => {
    const secret = `"'\`$%\\\n\t${'x'.repeat(65_000)}é`
    const {output} = await run('printf %s "$SECRET" | sha256sum', {env: {SECRET: secret}})
    expect(output.toString().slice(0, 64)).toBe(createHash('sha256').update(secret).digest('hex'))
  })

  test('keeps two streams apart, each with its own limit', async () => {
    const {output, stderr, end} = await run('echo out; head -c 200000 /dev/zero >&2', {separateStderr: true, outputLimitBytes: 1000})
    expect([output.toString(), stderr.length]).toEqual(['out\n', 1000 + 65_536])
    expect(end.droppedBytes).toEqual({output: 0, stderr: 200_000 - 1000 - 65_536})
  })

  test('says why a run folder can not be made', async () => {
    const taken = shellRunner({shell, runsFolder: '/proc/nowhere'})
    await expect(runDurably(taken, durableCommand('r', 'true'))).rejects.toMatchObject({code: 'SERVER_UNREACHABLE', details: {code: 'misconfigured'}, message: /proc/})
  })

  test('a stop that races with the start leaves no command behind', async () => {
    for (let round = 0; round < 8; round++) {
      const id = `race${round}`
      const started = followRun((options) => runner.run(durableCommand(id, 'sleep 30'), options))
      await runner.stop(id, 500, AbortSignal.timeout(10_000))
      const {end} = await started.done
      expect([end.kind, end.stopped, end.exitCode]).toEqual(['exit', true, null])
    }
  })
})

test('ends the group by the job control of the shell where there is no setsid', async () => {
  const runsFolder = await mkdtemp(join(tmpdir(), 'moorage-runs-'))
  const shell = ['unshare', '-m', '/bin/sh', '-c', 'mount --bind /dev/null /usr/bin/setsid && exec bash --posix -s']
  const {output, end} = await runDurably(shellRunner({shell, runsFolder}), durableCommand('r', 'command -v setsid; sleep 7654 & echo hello $!; wait', {timeoutMs: 500, killGraceMs: 5000}))
  expect([end.timedOut, end.signal]).toEqual([true, 'SIGTERM'])
  const child = /^hello (\d+)\n$/.exec(output.toString())?.[1]
  await expect.poll(() => readFile(`/proc/${child}/cmdline`, 'utf8').catch(() => '')).toBe('')
  expect(Date.parse(end.finishedAt ?? '') - Date.parse(end.startedAt ?? '')).toBeLessThan(4000)
  await rm(runsFolder, {recursive: true, force: true})
})

test('runs the script in the shell of the user, zsh and fish too, and in /bin/sh where there is none', async () => {
  const runsFolder = await mkdtemp(join(tmpdir(), 'moorage-runs-'))
  const cases = [['/usr/bin/zsh', 'print -r -- $ZSH_NAME'], ['/usr/bin/fish', 'set x fish; echo $x'], ['/bin/bash', 'echo ${BASH##*/}'], ['/no/such/shell', 'echo ${0##*/}']] as const
  const outputs: string[] = []
  for (const [index, [loginShell, script]] of cases.entries()) {
    const runner = shellRunner({shell: ['dash', '-s'], runsFolder, loginShell})
    outputs.push((await runDurably(runner, durableCommand(`r${index}`, script))).output.toString().trim())
  }
  expect(outputs).toEqual(['zsh', 'fish', 'bash', 'sh'])
  await rm(runsFolder, {recursive: true, force: true})
})
