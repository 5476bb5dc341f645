import {writeFileSync} from 'node:fs'
import {readFile} from 'node:fs/promises'
import path from 'node:path'
import {describe, expect, test} from 'vitest'
import {startTestDaemon, temporaryFolder} from '../daemon/start-test-daemon.js'
import {runCommand, type RunOptions} from './run-command.js'

// ink looks at this by itself when it is loaded, and then draws nothing before the end.
delete process.env['CI']

const document = async (argv: string[], options: RunOptions) => JSON.parse((await runCommand([...argv, '--json'], options)).stdout)

async function startRun(command: string, wait: boolean) {
  const {home} = await startTestDaemon()
  await runCommand(['jobs', 'create', 'a', '--server', 'local', '--command', command], {home})
  const {stdout} = await runCommand(['jobs', 'run', 'a'], {home})
  const runId = stdout.trim()
  if (wait) await runCommand(['runs', 'watch', runId], {home})
  return {home, runId}
}

describe('runs', () => {
  test('are listed newest first, page by page', async () => {
    const {home, runId} = await startRun('true', true)
    const second = (await document(['jobs', 'run', 'a', '--wait'], {home})).id
    const page = await document(['runs', 'list', '--limit', '1'], {home})
    expect(page.items.map((run: {id: string}) => run.id)).toEqual([second])
    const rest = await document(['runs', 'list', '--cursor', page.next], {home})
    expect(rest.items.map((run: {id: string}) => run.id)).toEqual([runId])
    expect(rest.next).toBeNull()
    expect((await document(['runs', 'list', '--all', '--job', 'a', '--status', 'success'], {home})).items).toHaveLength(2)
    expect((await document(['jobs', 'history', 'a', '--status', 'failed'], {home})).items).toEqual([])
  })

  test('are shown with where and how they ended', async () => {
    const {home, runId} = await startRun('exit 7', true)
    const {stdout} = await runCommand(['runs', 'show', runId], {home})
    expect(stdout).toContain('status\tfailed\nwhy\texit 7\n')
    expect(await document(['runs', 'show', runId], {home})).toMatchObject({id: runId, summary: {exitCode: 7}})
  })

  test.each(['show', 'logs', 'watch', 'cancel', 'retry', 'output'])('%s says which run is not there', async (verb) => {
    const {home} = await startTestDaemon()
    const {stderr, exitCode} = await runCommand(['runs', verb, 'jrun_nowhere'], {home})
    expect(exitCode).toBe(1)
    expect(stderr).toContain('no run jrun_nowhere')
  })
})

describe('runs logs', () => {
  test('shows what is there, the last lines, or each with its time', async () => {
    const {home, runId} = await startRun('for i in 1 2 3; do echo line $i; done', true)
    expect((await runCommand(['runs', 'logs', runId], {home})).stdout).toBe('line 1\nline 2\nline 3\n')
    expect((await runCommand(['runs', 'logs', runId, '--tail', '1'], {home})).stdout).toBe('line 3\n')
    expect((await runCommand(['runs', 'logs', runId, '--tail', '1', '--timestamps'], {home})).stdout).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z line 3\n$/)
  })

  test('ends with 0 for a run that failed, and with 1 when it followed it there', async () => {
    const {home, runId} = await startRun('echo x; exit 1', true)
    expect((await runCommand(['runs', 'logs', runId], {home})).exitCode).toBe(0)
    expect((await runCommand(['runs', 'logs', runId, '--follow'], {home})).exitCode).toBe(1)
  })

  test('of a run that goes on shows what it has so far and says how to follow it', async () => {
    const {home, runId} = await startRun('echo begun; sleep 20', false)
    const deadline = Date.now() + 10_000
    let shown = await runCommand(['runs', 'logs', runId], {home})
    while (shown.stdout === '' && Date.now() < deadline) shown = await runCommand(['runs', 'logs', runId], {home})
    expect(shown).toMatchObject({stdout: 'begun\n', exitCode: 0, stderr: expect.stringContaining(`runs logs ${runId} --follow`)})
    await runCommand(['runs', 'cancel', runId, '--wait'], {home})
  })

  test('on a terminal takes out what steers it, and keeps it elsewhere', async () => {
    const {home, runId} = await startRun(String.raw`printf 'a\033[2Jb\n'`, true)
    expect((await runCommand(['runs', 'logs', runId], {home, terminal: true})).stdout).toBe('ab\n')
    expect((await runCommand(['runs', 'logs', runId], {home})).stdout).toBe('a\u001B[2Jb\n')
  })
})

describe('runs output', () => {
  test('gives the bytes as they came, on stdout or in a file', async () => {
    const {home, runId} = await startRun(String.raw`printf 'a\000b\r\nlast'`, true)
    expect((await runCommand(['runs', 'output', runId], {home})).stdout).toBe('a\0b\r\nlast')
    const file = path.join(home, 'output.log')
    expect(await document(['runs', 'output', runId, '--file', file], {home})).toEqual({runId, file, sizeBytes: 9})
    expect(await readFile(file, 'utf8')).toBe('a\0b\r\nlast')
  })

  test('with --json needs a file, as stdout belongs to the document', async () => {
    const {home, runId} = await startRun('echo x', true)
    expect((await document(['runs', 'output', runId], {home})).error.code).toBe('USAGE')
  })

  test('says which file it can not write', async () => {
    const {home, runId} = await startRun('echo x', true)
    expect(await runCommand(['runs', 'output', runId, '--file', '/nowhere/x'], {home})).toMatchObject({exitCode: 2, stderr: expect.stringContaining('/nowhere/x')})
  })
})

describe('runs cancel and retry', () => {
  test('cancel ends a run, whose watchers end with 1; a finished one is refused', async () => {
    const {home, runId} = await startRun('sleep 30', false)
    const watching = runCommand(['runs', 'watch', runId], {home})
    expect(await document(['runs', 'cancel', runId, '--wait'], {home})).toMatchObject({status: 'cancelled', endReason: 'user'})
    expect(await watching).toMatchObject({exitCode: 1, stderr: expect.stringContaining('cancelled')})
    expect((await document(['runs', 'cancel', runId], {home})).error.code).toBe('RUN_FINISHED')
  })

  test('retry makes a new run of the same job', async () => {
    const {home, runId} = await startRun('exit 1', true)
    const {stdout, exitCode} = await runCommand(['runs', 'retry', runId, '--only-failed'], {home})
    expect(exitCode).toBe(0)
    const again = stdout.trim()
    expect((await runCommand(['runs', 'watch', again], {home})).exitCode).toBe(1)
    expect((await document(['runs', 'show', again], {home})).retryOf).toBe(runId)
  })
})

test('runs watch shows a view on a terminal and leaves its last picture', async () => {
  const seen = path.join(await temporaryFolder(), 'seen')
  const {home, runId} = await startRun(`echo first; echo second; while [ ! -e ${seen} ]; do sleep 0.1; done`, false)
  const onOutput = (shown: string) => {
    if (shown.includes('Ctrl-C stops watching')) writeFileSync(seen, '')
  }
  const {stdout, exitCode} = await runCommand(['runs', 'watch', runId], {home, terminal: true, variables: {NO_COLOR: '1'}, onOutput})
  expect(exitCode).toBe(0)
  expect(stdout).toContain('Ctrl-C stops watching')
  expect(stdout).toMatch(/second[\s\S]*run jrun_[\w-]+ of custom:a: success/)
})

test.each([['CI', {variables: {CI: 'true'}}], ['a terminal without a width', {columns: 0}], ['--plain', {}]])('runs watch gives plain lines with %s', async (name, extra) => {
  const {home, runId} = await startRun('echo first', false)
  const argv = ['runs', 'watch', runId, ...(name === '--plain' ? ['--plain'] : [])]
  const {stdout, exitCode} = await runCommand(argv, {home, terminal: true, ...extra})
  expect({stdout, exitCode}).toEqual({stdout: 'first\n', exitCode: 0})
})

test('jobs watch shows the job, its next run and the run in one view', async () => {
  const {home} = await startRun('echo done', true)
  await runCommand(['jobs', 'update', 'a', '--cron', '0 3 * * *'], {home})
  let started = false
  const {stdout, exitCode} = await runCommand(['jobs', 'watch', 'a', '--once', '--timeout', '20s'], {
    home, terminal: true, variables: {NO_COLOR: '1'},
    onOutput: (shown) => {
      if (started || !shown.includes('next run')) return
      started = true
      void runCommand(['jobs', 'run', 'a'], {home})
    },
  })
  expect(exitCode).toBe(0)
  expect(stdout).toMatch(/a 0 3 \* \* \* UTC, enabled, next run in \d+h/)
  expect(stdout).toMatch(/custom:a jrun_[\w-]+ success/)
})
