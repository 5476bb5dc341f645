import {readFile} from 'node:fs/promises'
import path from 'node:path'
import {expect, test} from 'vitest'
import {temporaryFolder} from '../daemon/start-test-daemon.js'
import {runCommand} from './run-command.js'

test('apps schema prints the schema of this release, or writes it where nothing is', async () => {
  const home = await temporaryFolder()
  const schema = await readFile('catalog/app.schema.json', 'utf8')
  expect((await runCommand(['apps', 'schema'], {home})).stdout).toBe(schema)
  expect(JSON.parse((await runCommand(['apps', 'schema', '--json'], {home})).stdout)).toEqual(JSON.parse(schema))
  const file = path.join(home, 'app.schema.json')
  expect(await runCommand(['apps', 'schema', '--output', file], {home})).toMatchObject({exitCode: 0, stdout: `${file}\n`})
  expect(await runCommand(['apps', 'schema', '--output', file], {home})).toMatchObject({exitCode: 1, stderr: expect.stringContaining('--force')})
  expect((await runCommand(['apps', 'schema', '--output', file, '--force', '--json'], {home})).stdout).toContain(file)
  expect(await readFile(file, 'utf8')).toBe(schema)
})
