import {mkdir, writeFile} from 'node:fs/promises'
import path from 'node:path'
import {describe, expect, test} from 'vitest'
import {startTestDaemon, temporaryFolder, type TestDaemon} from '../daemon/start-test-daemon.js'
import {runCommand} from './run-command.js'

// Which instance and which token a command uses, as seen by the instances themselves.

async function withContexts(home: string, contexts: object): Promise<void> {
  await mkdir(path.join(home, 'config'), {recursive: true})
  await writeFile(path.join(home, 'config', 'contexts.json'), JSON.stringify(contexts))
}

async function answeredBy(argv: string[], daemons: TestDaemon[], options: Parameters<typeof runCommand>[1]): Promise<number> {
  const {stdout, stderr} = await runCommand([...argv, '--json'], options)
  const answer = JSON.parse(stdout)
  if (answer.error !== undefined) throw new Error(stderr + stdout)
  return daemons.findIndex(({daemon}) => daemon.url === answer.url)
}

describe('a command goes to', () => {
  test('--url before everything, then --context, MOORAGE_URL, MOORAGE_CONTEXT, the current context, and the local daemon last', async () => {
    const daemons = await Promise.all([startTestDaemon(), startTestDaemon(), startTestDaemon()])
    const [local, one, two] = daemons
    if (local === undefined || one === undefined || two === undefined) throw new Error('three daemons')
    const {home} = local
    const variables = {MOORAGE_URL: one.daemon.url, MOORAGE_TOKEN: one.token}
    expect(await answeredBy(['status'], daemons, {home})).toBe(0)
    expect(await answeredBy(['status'], daemons, {home, variables})).toBe(1)
    await withContexts(home, {current: 'one', contexts: {one: {url: one.daemon.url, token: one.token}, two: {url: two.daemon.url, token: two.token}}})
    expect(await answeredBy(['status'], daemons, {home})).toBe(1)
    expect(await answeredBy(['status'], daemons, {home, variables: {MOORAGE_CONTEXT: 'two'}})).toBe(2)
    expect(await answeredBy(['status', '--context', 'two'], daemons, {home, variables})).toBe(2)
    expect(await answeredBy(['status', '--url', `${two.daemon.url}/api/`], daemons, {home})).toBe(2)
    expect(await answeredBy(['status', '--url', local.daemon.url], daemons, {home})).toBe(0)
    expect(await answeredBy(['status', '--url', local.daemon.url, '--token-stdin'], daemons, {home, stdin: `${local.token}\n`})).toBe(0)
  }, 60_000)
})

test('a token of a context never goes to another address', async () => {
  const [one, two] = [await startTestDaemon(), await startTestDaemon()]
  const home = await temporaryFolder()
  await withContexts(home, {current: 'one', contexts: {one: {url: one.daemon.url, token: one.token}}})
  const {stdout, exitCode} = await runCommand(['whoami', '--url', two.daemon.url, '--json'], {home})
  expect(exitCode).toBe(4)
  expect(JSON.parse(stdout).error).toMatchObject({code: 'NOT_SIGNED_IN', suggestions: [`moorage login --url ${two.daemon.url}`]})
})

test('a missing token says where it was looked for', async () => {
  const home = await temporaryFolder()
  const {stdout, stderr, exitCode} = await runCommand(['whoami', '--url', 'https://ops.example.com'], {home})
  expect({stdout, exitCode}).toEqual({stdout: '', exitCode: 4})
  expect(stderr).toContain('looked at --token-stdin, MOORAGE_TOKEN and')
})

test('--no-start refuses to start a daemon', async () => {
  const home = await temporaryFolder()
  const {stderr, exitCode} = await runCommand(['status', '--no-start'], {home})
  expect(exitCode).toBe(1)
  expect(stderr).toContain('--no-start forbids')
})

test('a damaged contexts file stops every command that needs one', async () => {
  const {home} = await startTestDaemon()
  await mkdir(path.join(home, 'config'))
  await writeFile(path.join(home, 'config', 'contexts.json'), '{"current":')
  const {stdout, exitCode} = await runCommand(['whoami', '--json'], {home})
  expect(exitCode).toBe(2)
  expect(JSON.parse(stdout).error).toMatchObject({code: 'CONFIGURATION', message: expect.stringContaining('contexts.json')})
})

test('the address that did not answer is named', async () => {
  const home = await temporaryFolder()
  const {stderr, exitCode} = await runCommand(['whoami', '--url', 'http://127.0.0.1:9'], {home, variables: {MOORAGE_TOKEN: 't'}})
  expect(exitCode).toBe(1)
  expect(stderr).toContain('no answer from http://127.0.0.1:9: nothing listens there')
})
