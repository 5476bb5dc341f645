import {describe, expect, test} from 'vitest'
import {startTestDaemon} from '../daemon/start-test-daemon.js'
import {runCommand, type RunOptions} from './run-command.js'

const document = async (argv: string[], options: RunOptions) => JSON.parse((await runCommand([...argv, '--json'], options)).stdout)

async function withJob(name: string, command: string, ...flags: string[]) {
  const {home, call} = await startTestDaemon()
  const created = await runCommand(['jobs', 'create', name, '--server', 'local', '--command', command, ...flags], {home})
  expect(created, created.stderr).toMatchObject({exitCode: 0})
  return {home, call, created}
}

describe('jobs create', () => {
  test('says the schedule in words and the next three fires in the zone of the job, before it saves', async () => {
    const now = () => Date.parse('2030-06-30T12:00:00.000Z')
    const {home} = await startTestDaemon()
    const argv = ['jobs', 'create', 'nightly-backup', '--server', 'local', '--cron', '0 3 * * *', '--time-zone', 'Europe/Berlin', '--command', 'true']
    const {stderr} = await runCommand([...argv, '--dry-run'], {home, now})
    expect(stderr).toBe(
      'at 03:00, Europe/Berlin; next:\n  Mon 2030-07-01 03:00 Europe/Berlin\n  Tue 2030-07-02 03:00 Europe/Berlin\n  Wed 2030-07-03 03:00 Europe/Berlin\n',
    )
    expect((await document(['jobs', 'list'], {home})).items).toEqual([])
    const {stdout, exitCode} = await runCommand(argv, {home})
    expect(exitCode).toBe(0)
    expect(stdout).toContain('custom:nightly-backup is created; it runs next at')
  })

  test.each(['61 * * * *', '* * *', '0 0 30 2 *', '@reboot'])('refuses the expression %j before it asks the daemon to save it', async (cron) => {
    const {home} = await startTestDaemon()
    const {exitCode, stderr} = await runCommand(['jobs', 'create', 'a', '--server', 'local', '--command', 'true', '--cron', cron], {home})
    expect(exitCode, stderr).toBe(2)
    expect((await document(['jobs', 'list'], {home})).items).toEqual([])
  })

  test('sends what the flags say', async () => {
    const {home, created} = await withJob(
      'deploy-shop', './deploy.sh', '--manual', '--run-timeout', '5m', '--attempts', '3', '--backoff', '10s', '--env', 'A=1=2', '--parameter', 'VERSION=latest',
      '--required-parameter', 'TARGET', '--overlap', 'queue', '--output-limit', '1MiB', '--expect-success-within', '1d', '--separate-stderr',
    )
    expect(created.stdout).toBe('custom:deploy-shop is created\n')
    expect(await document(['jobs', 'show', 'deploy-shop'], {home})).toMatchObject({
      scheduleType: 'manual', overlap: 'queue', outputLimitBytes: 1_048_576, expectSuccessWithinMs: 86_400_000, separateStderr: true,
      parameters: [{name: 'VERSION', required: false, default: 'latest'}, {name: 'TARGET', required: true}],
      actionConfig: {command: './deploy.sh', timeoutMs: 300_000, retry: {maxAttempts: 3, backoffSeconds: 10}, env: {A: '1=2'}},
    })
  })

  test('takes secrets from the environment and shows them nowhere', async () => {
    const {home} = await startTestDaemon()
    const variables = {DEPLOY_KEY: 'planted-secret-value'}
    const {stdout, stderr} = await runCommand(['jobs', 'create', 'a', '--server', 'local', '--command', 'true', '--secret', 'DEPLOY_KEY', '--json', '--verbose'], {home, variables})
    expect(JSON.parse(stdout).actionConfig.secrets).toEqual({DEPLOY_KEY: ''})
    expect(stdout + stderr).not.toContain('planted-secret-value')
  })

  test.each([
    ['a name or label', ['jobs', 'create', '--server', 'local', '--command', 'true'], 'NAME or --label'],
    ['a command', ['jobs', 'create', 'a', '--server', 'local'], '--command'],
    ['a server', ['jobs', 'create', 'a', '--command', 'true'], '--server'],
    ['a server that is there', ['jobs', 'create', 'a', '--command', 'true', '--server', 'web-9'], 'no server web-9'],
  ])('needs %s', async (_, argv, said) => {
    const {home} = await startTestDaemon()
    const {stderr, exitCode} = await runCommand(argv, {home})
    expect(exitCode).not.toBe(0)
    expect(stderr).toContain(said)
  })
})

describe('jobs', () => {
  test('are listed, changed, switched off and on, and deleted', async () => {
    const {home} = await withJob('nightly-backup', 'true', '--cron', '0 3 * * *')
    expect((await runCommand(['jobs', 'list'], {home})).stdout).toMatch(/^custom:nightly-backup\tnightly-backup\t0 3 \* \* \* UTC\tenabled\t\t\t\d{4}-/)
    const changed = await document(['jobs', 'update', 'nightly-backup', '--cron', '30 2 * * *', '--run-timeout', '90s'], {home})
    expect(changed).toMatchObject({cronExpression: '30 2 * * *', actionConfig: {timeoutMs: 90_000, command: 'true'}})
    expect((await document(['jobs', 'update', 'nightly-backup', '--clear', 'run-timeout'], {home})).actionConfig.timeoutMs).toBeUndefined()
    expect(await document(['jobs', 'disable', 'nightly-backup'], {home})).toMatchObject({enabled: false, nextRunAt: null})
    expect((await document(['jobs', 'enable', 'nightly-backup'], {home})).enabled).toBe(true)
    expect(await runCommand(['jobs', 'delete', 'nightly-backup'], {home})).toMatchObject({exitCode: 2, stderr: expect.stringContaining('--yes')})
    expect(await document(['jobs', 'delete', 'nightly-backup', '--yes'], {home})).toEqual({key: 'custom:nightly-backup', deleted: true})
    expect(await runCommand(['jobs', 'show', 'nightly-backup'], {home})).toMatchObject({exitCode: 1, stderr: expect.stringContaining('no job nightly-backup')})
  })

  test('an update without a change is wrong usage', async () => {
    const {home} = await withJob('a', 'true')
    expect((await runCommand(['jobs', 'update', 'a'], {home})).exitCode).toBe(2)
  })

  test('are deleted on a terminal only after a yes', async () => {
    const {home} = await withJob('a', 'true')
    expect((await runCommand(['jobs', 'delete', 'a'], {home, terminal: true, answers: {'[y/N]': 'n'}})).exitCode).toBe(2)
    expect((await document(['jobs', 'list'], {home})).items).toHaveLength(1)
    expect((await runCommand(['jobs', 'delete', 'a'], {home, terminal: true, answers: {'[y/N]': 'y'}})).exitCode).toBe(0)
  })

  test('can be started by events, which are listed', async () => {
    const {home} = await startTestDaemon()
    expect((await runCommand(['jobs', 'events'], {home})).stdout).toMatch(/^deployment\.succeeded\t/)
  })
})

describe('jobs run', () => {
  test('prints the run id and goes on', async () => {
    const {home} = await withJob('a', 'true')
    const {stdout, stderr, exitCode} = await runCommand(['jobs', 'run', 'a'], {home})
    expect(exitCode).toBe(0)
    expect(stdout).toMatch(/^jrun_[\w-]+\n$/)
    expect(stderr).toContain(`runs watch ${stdout.trim()}`)
  })

  test('--wait ends with 0 for a run that succeeded, its id first', async () => {
    const {home} = await withJob('a', 'true')
    const {stdout, stderr, exitCode} = await runCommand(['jobs', 'run', 'a', '--wait'], {home})
    expect(exitCode).toBe(0)
    expect(stderr).toMatch(/^jrun_[\w-]+ runs custom:a\n/)
    expect(stdout).toMatch(/^run jrun_[\w-]+ of custom:a: success \(exit 0\)\n$/)
  })

  test.each([
    ['that failed', 'exit 3', [], 'exit 3'],
    ['that took too long', 'sleep 30', ['--run-timeout', '1s'], 'timeout'],
  ])('--wait ends with 1 for a run %s', async (_, command, flags, why) => {
    const {home} = await withJob('a', command, ...flags)
    const {stdout, stderr, exitCode} = await runCommand(['jobs', 'run', 'a', '--wait'], {home})
    expect({stdout, exitCode}).toEqual({stdout: '', exitCode: 1})
    expect(stderr).toContain(why)
    expect(stderr).toContain('RUN_FAILED')
  })

  test('--wait ends with 8 when --timeout comes first, saying how to go on; the run does', async () => {
    const {home} = await withJob('a', 'sleep 2')
    const {stdout, exitCode} = await runCommand(['jobs', 'run', 'a', '--wait', '--timeout', '300ms', '--json'], {home})
    const {error} = JSON.parse(stdout)
    expect({exitCode, code: error.code}).toEqual({exitCode: 8, code: 'WAIT_TIMEOUT'})
    expect(error.suggestions).toEqual([`moorage runs watch ${error.details.runId}`])
    const watched = await runCommand(['runs', 'watch', error.details.runId], {home})
    expect(watched.exitCode).toBe(0)
  })

  test('an interrupt leaves the run going and says how to look at it again', async () => {
    const {home} = await withJob('a', 'echo begun; sleep 1')
    const {stderr, exitCode} = await runCommand(['jobs', 'run', 'a', '--follow'], {home, onOutput: (stdout, _, control) => stdout.includes('begun') && control.interrupt()})
    expect(exitCode).toBe(130)
    const [, runId] = /try: moorage runs watch (jrun_[\w-]+)/.exec(stderr) ?? []
    expect((await runCommand(['runs', 'watch', runId ?? '', '--json'], {home})).exitCode).toBe(0)
  })

  test('--wait --json gives the run, or the fault that carries it', async () => {
    const {home} = await withJob('a', 'echo $WORD; test $WORD = good', '--required-parameter', 'WORD')
    expect(await document(['jobs', 'run', 'a', '--wait', '--param', 'WORD=good'], {home})).toMatchObject({status: 'success', parameters: {WORD: 'good'}})
    const failed = await document(['jobs', 'run', 'a', '--wait', '--param', 'WORD=bad'], {home})
    expect(failed.error).toMatchObject({code: 'RUN_FAILED', details: {run: {status: 'failed', endReason: 'exit', summary: {exitCode: 1}}}})
  })

  test('--follow shows the output on stdout and nothing else there', async () => {
    const {home} = await withJob('a', 'for i in 1 2 3; do echo line $i; done')
    const {stdout, exitCode} = await runCommand(['jobs', 'run', 'a', '--follow'], {home})
    expect({stdout, exitCode}).toEqual({stdout: 'line 1\nline 2\nline 3\n', exitCode: 0})
  })

  test('--follow --json gives one object a line, the result last', async () => {
    const {home} = await withJob('a', 'echo one; exit 4')
    const {stdout, exitCode} = await runCommand(['jobs', 'run', 'a', '--follow', '--json'], {home})
    const lines = stdout.trimEnd().split('\n').map((line) => JSON.parse(line))
    expect(exitCode).toBe(1)
    expect(lines.map((line) => line.type)).toEqual(['snapshot', 'log', 'complete', 'result'])
    expect(lines.at(-1).error).toMatchObject({code: 'RUN_FAILED', details: {run: {status: 'failed'}}})
  })

  test('a parameter that is missing names the flag', async () => {
    const {home} = await withJob('a', 'true', '--required-parameter', 'WORD')
    const {stderr, exitCode} = await runCommand(['jobs', 'run', 'a'], {home})
    expect(exitCode).toBe(2)
    expect(stderr).toContain('--param')
  })

  test('runs a system job, whose answer is its counts', async () => {
    const {home} = await startTestDaemon()
    const jobs = await document(['jobs', 'list', '--system'], {home})
    const [system] = jobs.items.filter((job: {kind: string}) => job.kind === 'system')
    expect((await runCommand(['jobs', 'run', system.key], {home})).exitCode).toBe(0)
  })
})

test('jobs watch --once follows the next run of a job and ends as it did', async () => {
  const {home} = await withJob('a', 'echo seen; exit 2')
  let started = false
  const {stdout, stderr, exitCode} = await runCommand(['jobs', 'watch', 'a', '--once', '--timeout', '20s'], {
    home,
    onOutput: (_, said) => {
      if (started || !said.includes('next run')) return
      started = true
      void runCommand(['jobs', 'run', 'a'], {home})
    },
  })
  expect(stdout).toBe('seen\n')
  expect(stderr).toContain('custom:a: by hand, enabled, next run none')
  expect(exitCode).toBe(1)
})

test('jobs watch --json ends with a result also when the time is up', async () => {
  const {home} = await withJob('a', 'true')
  const {stdout, exitCode} = await runCommand(['jobs', 'watch', 'a', '--json', '--timeout', '200ms'], {home})
  const lines = stdout.trimEnd().split('\n').map((line) => JSON.parse(line))
  expect(lines.map((line) => line.type)).toEqual(['job', 'result'])
  expect({exitCode, code: lines.at(-1).error.code}).toEqual({exitCode: 8, code: 'WAIT_TIMEOUT'})
})
