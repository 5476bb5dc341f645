import {describe, expect, test} from 'vitest'
import {rules} from '../../src/catalog/lint/rules.js'
import {temporaryFolder} from '../daemon/start-test-daemon.js'
import {runCommand, type CommandRun, type RunOptions} from './run-command.js'

async function run(args: readonly string[], options: Partial<RunOptions> = {}): Promise<CommandRun> {
  return runCommand(['apps', 'rules', ...args], {home: await temporaryFolder(), ...options})
}

describe('apps rules', () => {
  test('lists every rule, tab-separated off a terminal', async () => {
    const {stdout, exitCode} = await run([])
    expect(exitCode).toBe(0)
    expect(stdout.trim().split('\n').map((line) => line.split('\t')[0])).toEqual(rules.map(({id}) => id))
    expect(stdout).toContain('image-unpinned\twarning\tan image without a version, or with a tag that moves\n')
  })

  test('lists those of one severity', async () => {
    const {stdout} = await run(['--severity', 'info', '--json'])
    expect(new Set(JSON.parse(stdout).items.map(({severity}: {severity: string}) => severity))).toEqual(new Set(['info']))
    expect((await run(['--severity', 'bad'])).exitCode).toBe(2)
  })

  test('explains one with a bad and a good example', async () => {
    const {stdout} = await run(['depends-unknown'])
    expect(stdout).toMatch(/^depends-unknown {2}error\n\na dependsOn that names no service\n\nIt is ignored .*\.\n\nWrong:\n {2}\{\n/)
    expect(stdout).toContain('"database"')
    expect(stdout).toContain('\n\nRight:\n  {\n')
    const document = JSON.parse((await run(['depends-unknown', '--json'])).stdout)
    expect(document).toMatchObject({id: 'depends-unknown', severity: 'error', meaning: 'a dependsOn that names no service', bad: expect.stringContaining('database')})
  })

  test('explains one that text can not show by its good example alone', async () => {
    const {stdout} = await run(['json-encoding'])
    expect(stdout).not.toContain('Wrong:')
    expect(JSON.parse((await run(['json-encoding', '--json'])).stdout).bad).toBeNull()
  })

  test('paints on a terminal', async () => {
    expect((await run(['image-unpinned'], {terminal: true})).stdout).toContain('\u001B[33mwarning\u001B[39m')
  })

  test('an id that is none ends with 2 and names the closest', async () => {
    expect(await run(['image-unpined'])).toMatchObject({exitCode: 2, stdout: '', stderr: expect.stringContaining('moorage apps rules image-unpinned')})
    expect(await run(['nonsense-here'])).toMatchObject({exitCode: 2, stderr: expect.stringContaining('moorage apps rules\n')})
  })
})
