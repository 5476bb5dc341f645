import {readFile, writeFile} from 'node:fs/promises'
import path from 'node:path'
import {expect, test} from 'vitest'
import {startTestDaemon, temporaryFolder} from '../daemon/start-test-daemon.js'
import {runCommand} from './run-command.js'

// The way of somebody who writes an app, from nothing to the catalog of an organization, with nothing but the commands.

test('an author goes from apps new to an uploaded app that others see', async () => {
  const {home} = await startTestDaemon()
  const folder = await temporaryFolder()
  const file = path.join(folder, 'apps', 'paste-box.json')
  const run = (...argv: string[]) => runCommand(['apps', ...argv], {home})

  await run('new', file, '--name', 'Paste Box', '--description', 'Share snippets.', '--image', 'ghcr.io/example/paste-box:1.4.2', '--port', '8090', '--database', 'postgres', '--secret', 'SECRET_KEY')
  expect(await run('validate', folder, '--strict')).toMatchObject({exitCode: 0, stdout: '', stderr: '1 file, no problems\n'})

  const definition = await readFile(file, 'utf8')
  await writeFile(file, definition.replace('"configFields"', '"configfields"'))
  const misspelt = await run('validate', file, '--strict')
  expect(misspelt).toMatchObject({exitCode: 1, stdout: expect.stringContaining('did you mean configFields?')})
  expect(await run('validate', file, '--fix')).toMatchObject({exitCode: 0})
  expect(await readFile(file, 'utf8')).toBe(definition)

  const rendered = await run('render', file, '--url', 'web=https://paste.example.com')
  expect(rendered).toMatchObject({exitCode: 0, stdout: expect.stringContaining('web:8090 → https://paste.example.com')})
  expect(rendered.stdout).not.toMatch(/[0-9a-f]{64}/)

  expect(await run('show', file)).toMatchObject({exitCode: 0, stdout: expect.stringContaining('Database password  POSTGRES_PASSWORD of db')})
  expect(await run('upload', file)).toMatchObject({exitCode: 0, stdout: 'paste-box is uploaded\n'})
  expect((await run('search', 'snippets')).stdout).toContain('paste-box\t')
  expect((await run('show', 'paste-box', '--article')).stdout).toMatch(/^# Paste Box\n/)
  expect(await run('render', 'paste-box', '--url', 'web=https://paste.example.com')).toMatchObject({exitCode: 0})
})

test.each(['--image=ghcr.io/example/x:1.2.3', '--build'])('what apps new writes with %s goes through Compose and back', async (source) => {
  const home = await temporaryFolder()
  const file = path.join(home, 'apps', 'tool.json')
  const run = (...argv: string[]) => runCommand(['apps', ...argv], {home})
  await run('new', file, '--name', 'Tool', '--description', 'A tool.', source, '--database', 'valkey', '--data-path', '/data')
  expect((await run('render', file, '--output', path.join(home, 'out'), '--url', 'web=http://localhost:8080')).exitCode).toBe(0)
  const back = path.join(home, 'back', 'tool.json')
  expect((await run('import', path.join(home, 'out'), '--output', back)).exitCode).toBe(0)
  expect(await run('validate', back, '--strict')).toMatchObject({exitCode: 0})
  const [first, second] = await Promise.all([file, back].map(async (one) => JSON.parse(await readFile(one, 'utf8'))))
  expect(second.services.map(({name}: {name: string}) => name).toSorted()).toEqual(['cache', 'web'])
  expect(second.configFields.map(({key}: {key: string}) => key)).toEqual(first.configFields.map(({key}: {key: string}) => key))
})
