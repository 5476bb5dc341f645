import {describe, expect, test} from 'vitest'
import {startTestDaemon, temporaryFolder} from '../daemon/start-test-daemon.js'
import {json, startTestServer} from '../src/client/test-server.js'
import {runCommand} from './run-command.js'

describe('with --json', () => {
  test('a failure ends with the exit code of its kind, as without', async () => {
    const home = await temporaryFolder()
    const argv = ['whoami', '--url', 'https://ops.example.com']
    expect((await runCommand(argv, {home})).exitCode).toBe(4)
    expect((await runCommand([...argv, '--json'], {home})).exitCode).toBe(4)
  })

  test.each([
    ['a flag that is none', ['whoami', '--passwort', 'hunter2']],
    ['an argument too many', ['whoami', 'hunter2']],
    ['a missing argument', ['tokens', 'create', '--grant', 'job:*:read']],
    ['two flags that exclude each other', ['whoami', '--url', 'https://a', '--context', 'hunter2']],
    ['a duration that is none', ['whoami', '--timeout', 'soon']],
    ['a choice that is none', ['members', 'add', 'a@b.c', '--role', 'king']],
  ])('%s is USAGE with nothing of the parser in it', async (_, argv) => {
    const home = await temporaryFolder()
    const {stdout, stderr, exitCode} = await runCommand([argv[0] ?? '', ...argv.slice(1, 2), '--json', ...argv.slice(2)], {home})
    expect(exitCode).toBe(2)
    const document = JSON.parse(stdout)
    expect(Object.keys(document)).toEqual(['error'])
    expect(document.error.code).toBe('USAGE')
    expect(Object.keys(document.error)).toEqual(['code', 'message', 'status', 'requestId', 'details', 'suggestions'])
    expect(document.error.message).not.toContain('\n')
    expect(document.error.message).not.toContain('See more help')
    expect(stderr).toBe('')
  })

  test('a parse failure does not repeat what was typed elsewhere on the line', async () => {
    const home = await temporaryFolder()
    const {stdout} = await runCommand(['api', '/jobs', '--json', '--data', '{"password":"hunter2"}', '--nonsense'], {home})
    expect(JSON.parse(stdout).error.code).toBe('USAGE')
    expect(stdout).not.toContain('hunter2')
  })

  test('an empty list is an object, not nothing', async () => {
    const {home} = await startTestDaemon()
    expect(JSON.parse((await runCommand(['projects', 'list', '--json'], {home})).stdout)).toEqual({items: [], next: null})
  })

  test('nothing of it is coloured, even where colour is forced', async () => {
    const {home} = await startTestDaemon()
    const {stdout} = await runCommand(['whoami', '--json'], {home, terminal: true, variables: {FORCE_COLOR: '1'}})
    expect(stdout).not.toContain('\u001B')
    JSON.parse(stdout)
  })

  test('after -- is an argument, not the flag', async () => {
    const home = await temporaryFolder()
    const {stdout, stderr} = await runCommand(['whoami', '--', '--json'], {home})
    expect(stdout).toBe('')
    expect(stderr).toContain('USAGE')
  })
})

describe('a failure', () => {
  test('of the API shows its request id when it is unexpected', async () => {
    const server = await startTestServer(json(500, {error: 'Internal server error', code: 'INTERNAL', requestId: 'req_42'}))
    const home = await temporaryFolder()
    const variables = {MOORAGE_URL: server.url, MOORAGE_TOKEN: 't'}
    expect((await runCommand(['whoami'], {home, variables})).stderr).toContain('request id: req_42')
    expect(JSON.parse((await runCommand(['whoami', '--json'], {home, variables})).stdout).error.requestId).toBe('req_42')
  })

  test('with --verbose says where it comes from', async () => {
    const home = await temporaryFolder()
    const {stderr} = await runCommand(['whoami', '--url', 'http://127.0.0.1:9', '--verbose'], {home, variables: {MOORAGE_TOKEN: 't'}})
    expect(stderr).toContain('    at ')
  })

  test('of a field names the flag that was typed', async () => {
    const {home} = await startTestDaemon()
    const {stderr, exitCode} = await runCommand(['tokens', 'create', 'ci', '--full-access', '--expires-in-days', '366'], {home})
    expect(exitCode).toBe(2)
    expect(stderr).toMatch(/^error: --expires-in-days: /)
  })
})

describe('an interrupt', () => {
  test('ends a request at once with 130', async () => {
    let interrupt = () => {}
    const server = await startTestServer(() => interrupt())
    const home = await temporaryFolder()
    const argv = ['whoami', '--verbose']
    const running = runCommand(argv, {home, variables: {MOORAGE_URL: server.url, MOORAGE_TOKEN: 't'}, onStart: (control) => (interrupt = control.interrupt)})
    expect(await running).toMatchObject({exitCode: 130, stdout: '', stderr: expect.stringContaining('INTERRUPTED')})
  })
})

test('a closed pipe ends the command quietly', async () => {
  const server = await startTestServer((_request, response) => {
    response.writeHead(200, {'content-type': 'application/octet-stream'})
    const fill = () => {
      while (!response.destroyed && response.write('x'.repeat(65_536)));
      response.once('drain', fill)
    }
    fill()
  })
  const home = await temporaryFolder()
  const {stderr, exitCode} = await runCommand(['runs', 'output', 'jrun_1'], {
    home, variables: {MOORAGE_URL: server.url, MOORAGE_TOKEN: 't'}, onOutput: (_stdout, _stderr, control) => control.closePipe(),
  })
  expect({stderr, exitCode}).toEqual({stderr: '', exitCode: 0})
})

test('--quiet drops notes and keeps the answer', async () => {
  const {home} = await startTestDaemon()
  const loud = await runCommand(['tokens', 'create', 'a', '--full-access'], {home})
  const quiet = await runCommand(['tokens', 'create', 'b', '--full-access', '--quiet'], {home})
  expect(loud.stderr).toContain('only time')
  expect(quiet.stderr).toBe('')
  expect(quiet.stdout).toMatch(/^moor_pat_\w+\n$/)
})

test('colour is decided for each stream', async () => {
  const {home} = await startTestDaemon()
  expect((await runCommand(['whoami'], {home, terminal: true})).stdout).toContain('\u001B[1m')
  expect((await runCommand(['whoami', '--no-color'], {home, terminal: true})).stdout).not.toContain('\u001B')
  expect((await runCommand(['whoami'], {home, terminal: true, variables: {NO_COLOR: '1'}})).stdout).not.toContain('\u001B')
  expect((await runCommand(['projects', 'show', 'shop'], {home, variables: {FORCE_COLOR: '1'}})).stderr).toContain('\u001B[31merror:')
})
