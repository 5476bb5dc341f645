import {expect, test} from 'vitest'
import {startTestDaemon} from '../daemon/start-test-daemon.js'
import {runCommand} from './run-command.js'

test('whoami uses the daemon of the home and names the person', async () => {
  const {home} = await startTestDaemon()
  const {stdout, stderr, exitCode} = await runCommand(['whoami'], {home})
  expect(stderr).toBe('')
  expect(stdout).toContain('organization\tdefault (org_')
  expect(exitCode).toBe(0)
})

test('whoami --json gives the answer of the API', async () => {
  const {home} = await startTestDaemon()
  const {stdout} = await runCommand(['whoami', '--json'], {home})
  expect(JSON.parse(stdout)).toMatchObject({role: 'owner', credential: {kind: 'token', readOnly: false}})
})

test('whoami with a token that is none ends with 4', async () => {
  const {home} = await startTestDaemon()
  const {stdout, stderr, exitCode} = await runCommand(['whoami'], {home, variables: {MOORAGE_TOKEN: 'moor_pat_wrong'}})
  expect({stdout, exitCode}).toEqual({stdout: '', exitCode: 4})
  expect(stderr).toContain('INVALID_TOKEN')
})
