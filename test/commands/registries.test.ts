import {readdir, readFile} from 'node:fs/promises'
import {join} from 'node:path'
import {expect, test} from 'vitest'
import {startTestDaemon} from '../daemon/start-test-daemon.js'
import {runCommand} from './run-command.js'

const password = 'planted-registry-password'

test('logins for registries are added from stdin or a prompt, listed without the password, and forgotten', async () => {
  const {home, call, log} = await startTestDaemon()
  expect((await runCommand(['registries', 'list'], {home})).stderr).toContain('no logins for registries')
  expect(await runCommand(['registries', 'add', 'registry.example.com:5000', '--username', 'deploy', '--password-stdin'], {home, stdin: `${password}\n`})).toMatchObject({
    exitCode: 0, stdout: 'the login of deploy at registry.example.com:5000 is kept\n',
  })
  const prompted = await runCommand(['registries', 'add', 'index.docker.io'], {home, terminal: true, answers: {'User of': 'kim', 'Password of': password}})
  expect(prompted).toMatchObject({exitCode: 0, stdout: 'the login of kim at docker.io is kept\n'})
  expect(prompted.stderr).not.toContain(password)
  expect((await runCommand(['registries', 'list'], {home})).stdout).toMatch(/^docker\.io\tkim\t[^\n]*\nregistry\.example\.com:5000\tdeploy\t/)
  expect((await runCommand(['registries', 'add', 'docker.io', '--username', 'other', '--password-stdin', '--json'], {home, stdin: password})).stdout).not.toContain(password)
  expect((await call('GET', '/api/registries')).body.data.map(({host, username}: {host: string; username: string}) => `${username}@${host}`)).toEqual(['other@docker.io', 'deploy@registry.example.com:5000'])
  expect(await runCommand(['registries', 'remove', 'docker.io'], {home})).toMatchObject({exitCode: 2})
  expect(await runCommand(['registries', 'remove', 'docker.io', '--yes'], {home})).toMatchObject({exitCode: 0})
  expect((await call('DELETE', '/api/registries/docker.io')).status).toBe(404)
  expect(await runCommand(['registries', 'remove', 'registry.example.com:5000', '--yes', '--json'], {home})).toMatchObject({exitCode: 0})
  expect((await call('GET', '/api/registries')).body.data).toEqual([])
  expect((await runCommand(['registries', 'add', 'https://ghcr.io/', '--username', 'x', '--password-stdin'], {home, stdin: 'y'})).exitCode).toBe(2)
  const files = (await readdir(home, {recursive: true, withFileTypes: true})).filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  for (const file of files) expect(await readFile(file, 'utf8'), file).not.toContain(password)
  expect(log.join('')).not.toContain(password)
})
