import {readFile, stat} from 'node:fs/promises'
import path from 'node:path'
import {describe, expect, test} from 'vitest'
import {startTestDaemon, temporaryFolder} from '../daemon/start-test-daemon.js'
import {runCommand} from './run-command.js'

const contextsOf = async (home: string) => JSON.parse(await readFile(path.join(home, 'config', 'contexts.json'), 'utf8'))

describe('login', () => {
  test('checks the token from stdin, keeps it 0600 and makes it current', async () => {
    const {daemon, token} = await startTestDaemon()
    const home = await temporaryFolder()
    const {stdout, stderr, exitCode} = await runCommand(['login', '--url', daemon.url, '--name', 'production', '--token-stdin'], {home, stdin: `${token}\n`})
    expect({stderr: stderr.includes('kept as the context production'), exitCode}).toEqual({stderr: true, exitCode: 0})
    expect(stdout).toContain('signed in to')
    expect(stdout + stderr).not.toContain(token)
    expect(await contextsOf(home)).toEqual({current: 'production', contexts: {production: {url: daemon.url, token}}})
    expect((await stat(path.join(home, 'config', 'contexts.json'))).mode & 0o777).toBe(0o600)
    expect(JSON.parse((await runCommand(['whoami', '--json'], {home})).stdout).role).toBe('owner')
  })

  test('takes MOORAGE_TOKEN, and says who it is with --json', async () => {
    const {daemon, token} = await startTestDaemon()
    const home = await temporaryFolder()
    const {stdout} = await runCommand(['login', '--url', daemon.url, '--json'], {home, variables: {MOORAGE_TOKEN: token}})
    expect(JSON.parse(stdout)).toMatchObject({context: 'default', url: daemon.url, role: 'owner'})
    expect(stdout).not.toContain(token)
  })

  test('asks on a terminal without showing what is typed', async () => {
    const {daemon, token} = await startTestDaemon()
    const home = await temporaryFolder()
    const {stderr, exitCode} = await runCommand(['login', '--url', daemon.url], {home, terminal: true, answers: {'Access token': token}})
    expect(exitCode).toBe(0)
    expect(stderr).not.toContain(token)
    expect((await contextsOf(home)).contexts.default.token).toBe(token)
  })

  test('keeps nothing of a token that is refused', async () => {
    const {daemon} = await startTestDaemon()
    const home = await temporaryFolder()
    const {stderr, exitCode} = await runCommand(['login', '--url', daemon.url, '--token-stdin'], {home, stdin: 'moor_pat_wrong'})
    expect(exitCode).toBe(4)
    expect(stderr).toContain('INVALID_TOKEN')
    await expect(contextsOf(home)).rejects.toThrow('ENOENT')
  })

  test('off a terminal names the flag instead of waiting', async () => {
    const home = await temporaryFolder()
    const {stderr, exitCode} = await runCommand(['login', '--url', 'http://127.0.0.1:9'], {home})
    expect(exitCode).toBe(2)
    expect(stderr).toContain('give --token-stdin')
  })
})

test('logout forgets the token and keeps the context; twice is fine', async () => {
  const {daemon, token} = await startTestDaemon()
  const home = await temporaryFolder()
  await runCommand(['login', '--url', daemon.url, '--token-stdin'], {home, stdin: token})
  expect(JSON.parse((await runCommand(['logout', '--json'], {home})).stdout)).toEqual({context: 'default', loggedOut: true})
  expect((await contextsOf(home)).contexts.default).toEqual({url: daemon.url})
  expect(await runCommand(['logout'], {home})).toMatchObject({exitCode: 0, stderr: 'there was no token to forget\n'})
})

describe('contexts', () => {
  test('are added, listed without their tokens, used and removed', async () => {
    const home = await temporaryFolder()
    await runCommand(['context', 'add', 'production', '--url', 'ops.example.com', '--token-stdin'], {home, stdin: 'moor_pat_hidden'})
    await runCommand(['context', 'add', 'staging', '--url', 'https://staging.example.com/', '--use'], {home})
    const {stdout} = await runCommand(['context', 'list'], {home})
    expect(stdout).toBe('production\tfalse\thttps://ops.example.com\ttrue\nstaging\ttrue\thttps://staging.example.com\tfalse\n')
    expect((await runCommand(['context', 'use', 'production'], {home})).exitCode).toBe(0)
    expect((await contextsOf(home)).current).toBe('production')
    expect((await runCommand(['context', 'remove', 'production', '--yes'], {home})).exitCode).toBe(0)
    expect(await contextsOf(home)).toMatchObject({current: null, contexts: {staging: {url: 'https://staging.example.com'}}})
  })

  test('lose their token when the address changes', async () => {
    const home = await temporaryFolder()
    await runCommand(['context', 'add', 'a', '--url', 'https://a.example.com', '--token-stdin'], {home, stdin: 't'})
    await runCommand(['context', 'add', 'a', '--url', 'https://b.example.com'], {home})
    expect((await contextsOf(home)).contexts.a).toEqual({url: 'https://b.example.com'})
  })

  test('that are not there are a configuration fault', async () => {
    const home = await temporaryFolder()
    const {stdout, exitCode} = await runCommand(['context', 'use', 'nowhere', '--json'], {home})
    expect(exitCode).toBe(2)
    expect(JSON.parse(stdout).error.code).toBe('CONFIGURATION')
  })

  test('are removed off a terminal only with --yes', async () => {
    const home = await temporaryFolder()
    await runCommand(['context', 'add', 'a', '--url', 'https://a.example.com'], {home})
    const {stderr, exitCode} = await runCommand(['context', 'remove', 'a'], {home})
    expect(exitCode).toBe(2)
    expect(stderr).toContain('--yes')
  })

  test('need no token to be listed when there are none', async () => {
    const home = await temporaryFolder()
    expect(await runCommand(['context', 'list'], {home})).toEqual({stdout: '', stderr: 'no contexts: commands use the daemon of this machine\n', exitCode: 0})
  })
})
