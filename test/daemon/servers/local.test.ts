import {mkdtemp, readdir, rm} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {afterEach, beforeEach, expect, test, vi} from 'vitest'
import {systemClock} from '../../../daemon/clock.js'
import {localRunner} from '../../../daemon/servers/local.js'
import type {Runner} from '../../../daemon/servers/runner.js'
import {durableCommand, followRun, runDurably} from './durable-cases.js'

let runsFolder: string
let runner: Runner

beforeEach(async () => {
  runsFolder = await mkdtemp(join(tmpdir(), 'moorage-local-'))
  runner = localRunner({serverId: 'srv_local', clock: systemClock, runsFolder, surroundings: {PATH: process.env['PATH']}})
})
afterEach(() => rm(runsFolder, {recursive: true, force: true}))

const signal = () => AbortSignal.timeout(20_000)

test('exec passes arguments as they are, through no shell', async () => {
  const odd = ['a b', "it's", '$HOME', '', '*', 'x\ny']
  const result = await runner.exec(['printf', '%s|', ...odd], {signal: signal()})
  expect(result).toMatchObject({exitCode: 0, signal: null, stdout: odd.map((word) => `${word}|`).join(''), truncated: false})
})

test('exec shows a command nothing of the environment of the daemon', async () => {
  process.env['DATABASE_URL'] = 'postgres://planted'
  try {
    const {stdout} = await runner.exec(['env'], {env: {EXTRA: 'yes'}, signal: signal()})
    const names = stdout.split('\n').filter(Boolean).map((line) => line.split('=')[0])
    expect(names.sort()).toEqual(['EXTRA', 'HOME', 'LOGNAME', 'PATH', 'SHELL', 'USER'])
  } finally {
    delete process.env['DATABASE_URL']
  }
})

test('exec feeds input, and answers with the exit code and both streams', async () => {
  const result = await runner.exec(['sh', '-c', 'cat; echo bad >&2; exit 7'], {input: 'in\0put', signal: signal()})
  expect(result).toMatchObject({exitCode: 7, stdout: 'in\0put', stderr: 'bad\n'})
})

test('exec keeps no more output than asked for and says so', async () => {
  const result = await runner.exec(['sh', '-c', 'yes | head -c 1000000'], {maxOutputBytes: 1000, signal: signal()})
  expect(result.stdout.length).toBe(1000)
  expect(result.truncated).toBe(true)
})

test('exec ends the whole process group when its signal fires', async () => {
  const stop = new AbortController()
  const running = runner.exec(['sh', '-c', 'sleep 60 & echo ready; wait'], {signal: stop.signal, onOutput: () => stop.abort(new Error('enough'))})
  await expect(running).rejects.toThrow('enough')
})

test('exec of a program that is not there says so', async () => {
  await expect(runner.exec(['no-such-program'], {signal: signal()})).rejects.toMatchObject({code: 'SERVER_UNREACHABLE', message: /no-such-program/})
})

test('a durable run answers with output in order, exit code and instants', async () => {
  const before = Date.now()
  const outcome = await runDurably(runner.durable, durableCommand('r1', 'echo one; echo two >&2; echo "$WORD"; exit 3', {env: {WORD: "it's\n$HOME"}}))
  expect(outcome.output.toString()).toBe("one\ntwo\nit's\n$HOME\n")
  expect(outcome.end).toMatchObject({kind: 'exit', exitCode: 3, signal: null, timedOut: false, stopped: false, droppedBytes: {output: 0, stderr: 0}})
  expect(outcome.startedAt).toBe(outcome.end.startedAt)
  expect(Date.parse(outcome.end.startedAt ?? '')).toBeGreaterThanOrEqual(before - 20)
  expect(Date.parse(outcome.end.finishedAt ?? '')).toBeGreaterThanOrEqual(Date.parse(outcome.end.startedAt ?? ''))
})

test('a second run of an id starts nothing and gives the whole output again', async () => {
  const marker = join(runsFolder, 'count')
  const command = durableCommand('r1', `echo started >>${marker}; sleep 0.3; echo done`)
  const [first, second] = await Promise.all([runDurably(runner.durable, command), runDurably(runner.durable, command)])
  const third = await runDurably(runner.durable, command)
  for (const outcome of [first, second, third]) expect(outcome.output.toString()).toBe('done\n')
  expect(third.end).toEqual(first.end)
  expect((await runner.exec(['cat', marker], {signal: signal()})).stdout).toBe('started\n')
})

test('attach goes on from an offset and never starts anything', async () => {
  await runDurably(runner.durable, durableCommand('r1', 'printf abcdef'))
  const again = await followRun((options) => runner.durable.attach('r1', options), {output: 4, stderr: 0}).done
  expect(again.output.toString()).toBe('ef')
  const nothing = await followRun((options) => runner.durable.attach('r2', options)).done
  expect(nothing.end.kind).toBe('lost')
  expect(await readdir(runsFolder)).toEqual(['r1'])
})

test('giving up the follow leaves the command alone, and attach gets the rest', async () => {
  const giveUp = new AbortController()
  const first = followRun((options) => runner.durable.run(durableCommand('r1', 'echo one; sleep 0.5; echo two'), options), undefined, giveUp.signal)
  await first.started
  giveUp.abort(new Error('gone'))
  await expect(first.done).rejects.toThrow('gone')
  const taken = Buffer.concat(first.taken.output).length
  const rest = await followRun((options) => runner.durable.attach('r1', options), {output: taken, stderr: 0}).done
  expect(Buffer.concat([...first.taken.output, rest.output]).toString()).toBe('one\ntwo\n')
})

test('stop ends a command that ignores TERM, and tells that it was stopped', async () => {
  const run = followRun((options) => runner.durable.run(durableCommand('r1', "trap '' TERM; echo up; while :; do sleep 0.1; done"), options))
  await vi.waitUntil(() => Buffer.concat(run.taken.output).includes('up'), {timeout: 10_000})
  await runner.durable.stop('r1', 300, signal())
  const {end} = await run.done
  expect(end).toMatchObject({kind: 'exit', exitCode: null, signal: 'SIGKILL', stopped: true, timedOut: false})
})

test('a stop before the start keeps the command from ever starting', async () => {
  await runner.durable.stop('r1', 300, signal())
  const outcome = await runDurably(runner.durable, durableCommand('r1', 'echo never'))
  expect(outcome.output.toString()).toBe('')
  expect(outcome.end).toMatchObject({stopped: true, exitCode: null, startedAt: null})
  await runner.durable.remove('r1', signal())
  expect(await readdir(runsFolder)).toEqual([])
})

test('the time limit ends the whole group and is told', async () => {
  const {end} = await runDurably(runner.durable, durableCommand('r1', "(trap '' TERM; sleep 30) & sleep 30", {timeoutMs: 300, killGraceMs: 300}))
  expect(end).toMatchObject({kind: 'exit', signal: 'SIGTERM', timedOut: true, stopped: false})
})

test('a separate stderr comes as its own stream', async () => {
  const outcome = await runDurably(runner.durable, durableCommand('r1', 'echo out; echo err >&2; sleep 0.2; echo more >&2', {separateStderr: true}))
  expect([outcome.output.toString(), outcome.stderr.toString()]).toEqual(['out\n', 'err\nmore\n'])
})
