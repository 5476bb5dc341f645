import {writeFile} from 'node:fs/promises'
import path from 'node:path'
import {expect, test} from 'vitest'
import {startTestDaemon, type TestDaemon} from '../daemon/start-test-daemon.js'
import {runCommand, type RunOptions} from './run-command.js'

const document = async (argv: string[], options: RunOptions) => JSON.parse((await runCommand([...argv, '--json'], options)).stdout)

/** A project `shop` with one service, `web`. */
async function shop(): Promise<TestDaemon> {
  const daemon = await startTestDaemon()
  const {id} = (await daemon.call('POST', '/api/projects', {name: 'shop'})).body.data
  await daemon.call('POST', `/api/projects/${id}/services`, {name: 'web', image: 'lab/web:1'})
  return daemon
}

test('what is set is listed with secrets masked, read one by one, and taken away', async () => {
  const daemon = await shop()
  expect(await runCommand(['env', 'set', 'shop', 'LOG_LEVEL=info', 'REGION='], daemon)).toMatchObject({exitCode: 0, stdout: 'LOG_LEVEL, REGION of shop are set\n'})
  expect(await runCommand(['env', 'set', 'shop', '--secret', '--value-stdin', 'TOKEN'], {...daemon, stdin: 'planted value\n'})).toMatchObject({exitCode: 0, stdout: 'TOKEN of shop is set\n', stderr: ''})
  const listed = await runCommand(['env', 'list', 'shop'], daemon)
  expect(listed.stdout).toMatch(/^LOG_LEVEL\tinfo\tno\t.*\nREGION\t\tno\t.*\nTOKEN\t•+\tyes\t/)
  expect(listed.stdout).not.toContain('planted')
  expect((await runCommand(['env', 'reveal', 'shop', 'TOKEN'], daemon)).stdout).toBe(`TOKEN='planted value'\n`)
  expect((await runCommand(['env', 'unset', 'shop', 'LOG_LEVEL', 'REGION'], daemon)).stdout).toBe('LOG_LEVEL, REGION of shop are gone\n')
  expect((await document(['env', 'list', 'shop'], daemon)).items.map(({key}: {key: string}) => key)).toEqual(['TOKEN'])
})

test('variables of a service, and of another scope, are their own', async () => {
  const daemon = await shop()
  expect(await document(['env', 'set', 'shop', 'A=service', '--service', 'web'], daemon)).toMatchObject({environment: 'production', set: ['A']})
  await runCommand(['env', 'set', 'shop', 'A=preview', '--environment', 'preview'], daemon)
  expect((await runCommand(['env', 'list', 'shop'], daemon))).toMatchObject({exitCode: 0, stdout: '', stderr: 'no variables\n'})
  expect((await runCommand(['env', 'reveal', 'shop', 'A', '--service', 'web'], daemon)).stdout).toBe('A=service\n')
  expect((await runCommand(['env', 'reveal', 'shop', 'A', '--environment', 'preview'], daemon)).stdout).toBe('A=preview\n')
  expect((await document(['env', 'set', 'shop', 'A=1', '--service', 'none'], daemon)).error).toMatchObject({code: 'NOT_FOUND'})
})

test('a file of variables is taken whole, or not at all', async () => {
  const daemon = await shop()
  const file = path.join(daemon.home, 'variables')
  await writeFile(file, '# of the shop\nexport A="x y"\nB=1\n')
  expect((await runCommand(['env', 'import', 'shop', '--file', file], daemon)).stdout).toBe('2 variables of shop are set\n')
  expect((await runCommand(['env', 'reveal', 'shop', 'A'], daemon)).stdout).toBe(`A='x y'\n`)
  await writeFile(file, 'KEY="-----BEGIN\nhello\\tworld\n-----END"\n')
  await runCommand(['env', 'import', 'shop', '--file', file, '--secret'], daemon)
  expect(await document(['env', 'reveal', 'shop', 'KEY'], daemon)).toMatchObject({environment: {KEY: '-----BEGIN\nhello\tworld\n-----END'}})
  await writeFile(file, 'C=1\nno variable at all\n')
  expect((await document(['env', 'import', 'shop', '--file', file], daemon)).error).toMatchObject({code: 'USAGE', message: expect.stringContaining(', line 2: this is no NAME=value')})
  await writeFile(file, 'C=1\n1D=2\n')
  expect((await document(['env', 'import', 'shop', '--file', file], daemon)).error.status).toBe(400)
  expect((await document(['env', 'list', 'shop'], daemon)).items.map(({key}: {key: string}) => key)).toEqual(['A', 'B', 'KEY'])
})

test.each([
  [['env', 'set', 'shop'], 2],
  [['env', 'set', 'shop', 'NOVALUE'], 2],
  [['env', 'set', 'shop', 'A=1', 'A=2'], 2],
  [['env', 'set', 'shop', '--value-stdin', 'A'], 2],
  [['env', 'set', 'none', 'A=1'], 1],
  [['env', 'unset', 'shop'], 2],
  [['env', 'reveal', 'shop', 'A'], 1],
  [['env', 'import', 'shop', '--file', '/nowhere/.env'], 2],
  [['env', 'list', 'none'], 1],
])('%j fails with one document and nothing else', async (argv, exitCode) => {
  const daemon = await shop()
  const run = await runCommand([...argv, '--json'], daemon)
  expect([run.exitCode, Object.keys(JSON.parse(run.stdout))]).toEqual([exitCode, ['error']])
  expect(await runCommand(argv, daemon)).toMatchObject({exitCode, stdout: '', stderr: expect.stringMatching(/^error: /)})
})
