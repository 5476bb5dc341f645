import {writeFile} from 'node:fs/promises'
import path from 'node:path'
import {describe, expect, test} from 'vitest'
import {startTestDaemon, temporaryFolder} from '../daemon/start-test-daemon.js'
import {runCommand} from './run-command.js'

async function jobFile(text: string): Promise<string> {
  const file = path.join(await temporaryFolder(), 'jobs.yaml')
  await writeFile(file, text)
  return file
}

const twoJobs = `
manifest: shop
jobs:
  - name: nightly-backup
    servers: [local]
    command: backup.sh
    cronExpression: '0 3 * * *'
    timeZone: Europe/Berlin
    secrets:
      BACKUP_KEY: {fromEnv: BACKUP_KEY}
      SIGNING_KEY: {fromFile: ./signing.key}
  - name: report
    servers: [local]
    command: report.sh
    dependsOn: [nightly-backup]
`

describe('jobs apply', () => {
  test('shows the difference, makes it so, and has nothing to do the second time', async () => {
    const {home} = await startTestDaemon()
    const file = await jobFile(twoJobs)
    await writeFile(path.join(path.dirname(file), 'signing.key'), 'planted-file-secret\n')
    const variables = {BACKUP_KEY: 'planted-env-secret'}
    const first = await runCommand(['jobs', 'apply', file, '--yes'], {home, variables})
    expect(first, first.stderr).toMatchObject({exitCode: 0, stdout: '+ nightly-backup\n+ report\n'})
    const shown = JSON.parse((await runCommand(['jobs', 'show', 'report', '--json'], {home})).stdout)
    expect(shown).toMatchObject({dependsOn: ['custom:nightly-backup'], manifest: 'shop', scheduleType: 'manual'})
    const second = await runCommand(['jobs', 'apply', file, '--json'], {home, variables})
    expect(JSON.parse(second.stdout).changes.map((change: {action: string}) => change.action)).toEqual(['unchanged', 'unchanged'])
    expect(first.stdout + first.stderr + second.stdout + second.stderr).not.toContain('planted')
  })

  test('--dry-run changes nothing, and off a terminal nothing changes without --yes', async () => {
    const {home} = await startTestDaemon()
    const file = await jobFile('manifest: shop\njobs: [{name: a, servers: [local], command: "true"}]')
    expect(await runCommand(['jobs', 'apply', file, '--dry-run'], {home})).toMatchObject({exitCode: 0, stdout: '+ a\n'})
    expect(await runCommand(['jobs', 'apply', file], {home})).toMatchObject({exitCode: 2, stderr: expect.stringContaining('--yes')})
    expect(JSON.parse((await runCommand(['jobs', 'list', '--json'], {home})).stdout).items).toEqual([])
  })

  test('shows what changes of a job, and deletes only with --prune', async () => {
    const {home} = await startTestDaemon()
    const job = (name: string, command: string) => `{name: ${name}, servers: [local], command: '${command}'}`
    await runCommand(['jobs', 'apply', await jobFile(`manifest: shop\njobs: [${job('a', 'one')}, ${job('b', 'true')}]`), '--yes'], {home})
    const file = await jobFile(`manifest: shop\njobs: [${job('a', 'two')}]`)
    const kept = await runCommand(['jobs', 'apply', file, '--dry-run'], {home})
    expect(kept.stdout).toContain('~ a\n    command: "one" → "two"\n')
    expect(kept.stdout).toContain('? b is not named any more: --prune deletes it')
    expect((await runCommand(['jobs', 'apply', file, '--prune', '--yes'], {home})).stdout).toContain('- b')
    expect(JSON.parse((await runCommand(['jobs', 'list', '--json'], {home})).stdout).items.map((row: {name: string}) => row.name)).toEqual(['a'])
  })

  test('a job made otherwise is a conflict unless it is adopted', async () => {
    const {home} = await startTestDaemon()
    await runCommand(['jobs', 'create', 'a', '--server', 'local', '--command', 'true'], {home})
    const file = await jobFile('manifest: shop\njobs: [{name: a, servers: [local], command: "false"}]')
    const refused = await runCommand(['jobs', 'apply', file, '--yes', '--json'], {home})
    expect(refused.exitCode).toBe(1)
    expect(JSON.parse(refused.stdout).error).toMatchObject({code: 'JOB_CONFLICT', details: {names: ['a']}})
    expect((await runCommand(['jobs', 'apply', file, '--yes', '--adopt'], {home})).exitCode).toBe(0)
  })
})

describe('a job file that is wrong is refused with its line', () => {
  test.each([
    ['YAML that is none', 'manifest: shop\njobs: [', 2],
    ['a key twice', 'manifest: shop\nmanifest: shop\njobs: []', 2],
    ['a field that is none', 'manifest: shop\njobs:\n  - name: a\n    comand: x\n    command: y', 4],
    ['a missing command', 'manifest: shop\njobs:\n  - name: a', 3],
    ['a name that is none', 'manifest: shop\njobs:\n  - name: A B\n    command: x', 3],
    ['a name twice', 'manifest: shop\njobs:\n  - {name: a, command: x}\n  - {name: a, command: y}', 4],
    ['a secret in clear', 'manifest: shop\njobs:\n  - name: a\n    command: x\n    secrets:\n      KEY: planted', 6],
    ['a missing manifest', 'jobs: []', 1],
    ['nothing', '', 1],
  ])('%s', async (_, text, line) => {
    const home = await temporaryFolder()
    const file = await jobFile(text)
    const {stdout, exitCode} = await runCommand(['jobs', 'apply', file, '--json', '--no-start'], {home})
    const {error} = JSON.parse(stdout)
    expect({exitCode, code: error.code}).toEqual({exitCode: 2, code: 'VALIDATION_ERROR'})
    expect(error.message.startsWith(`${file}:${line}: `), error.message).toBe(true)
    expect(stdout).not.toContain('planted')
  })

  test.each([
    ['a server', 'manifest: shop\njobs: [{name: a, servers: [web-9], command: x}]', 'no server web-9'],
    ['a variable', 'manifest: shop\njobs: [{name: a, servers: [local], command: x, secrets: {K: {fromEnv: NOT_SET}}}]', 'NOT_SET is not set'],
    ['a file', 'manifest: shop\njobs: [{name: a, servers: [local], command: x, secrets: {K: {fromFile: nowhere}}}]', 'can not read'],
  ])('%s that is not there is named', async (_, text, said) => {
    const {home} = await startTestDaemon()
    const {stderr, exitCode} = await runCommand(['jobs', 'apply', await jobFile(text), '--yes'], {home})
    expect(exitCode).not.toBe(0)
    expect(stderr).toContain(said)
  })
})
