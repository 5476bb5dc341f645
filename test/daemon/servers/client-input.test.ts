import {describe, expect, test} from 'vitest'
import {startTestDaemon, type TestDaemon} from '../start-test-daemon.js'

const add = (daemon: TestDaemon, body: object) => daemon.call('POST', '/api/system/servers', {sshHost: '127.0.0.1', sshPort: 1, ...body})
const blank = (value: null | '') => ({
  name: value, sshUser: value, sshPassword: value, sshKeyPath: value, sshPrivateKey: value, sshKeyPassphrase: value, sshJumpHost: value, sshArgs: value, sshAuthMethod: null,
})

describe('the fields that a client leaves blank', () => {
  test.each([null, ''] as const)('may be sent as %j and mean nothing', async (value) => {
    const daemon = await startTestDaemon()
    const {status, body} = await add(daemon, blank(value))
    expect(status, JSON.stringify(body)).toBe(201)
    expect(body).toMatchObject({
      name: null, sshPort: 1, sshUser: 'root', sshAuthMethod: null, sshKeyPath: null, sshJumpHost: null, sshArgs: null, hasStoredPassword: false, hasStoredKeyMaterial: false,
    })
    const tried = await daemon.call('POST', '/api/system/test-connection', {sshHost: '127.0.0.1', sshPort: 1, ...blank(value)})
    expect(tried).toMatchObject({status: 200, body: {ok: false, code: 'refused'}})
  })

  test('go back to their default when they are blanked later', async () => {
    const daemon = await startTestDaemon()
    const {body} = await add(daemon, {name: 'web', sshUser: 'deploy'})
    const changed = await daemon.call('PATCH', `/api/system/servers/${body.id}`, {name: '', sshUser: '', sshPort: null})
    expect(changed.body).toMatchObject({name: null, sshUser: 'root', sshPort: 22})
  })

  test('take several servers without a name', async () => {
    const daemon = await startTestDaemon()
    expect([(await add(daemon, {name: ''})).status, (await add(daemon, {name: ' ', sshPort: 2})).status]).toEqual([201, 201])
  })
})

describe('a bad field', () => {
  test.each([
    ['a host with a control character', {sshHost: 'a\0b'}, '/sshHost'],
    ['a host with a line break', {sshHost: 'a\r\nb'}, '/sshHost'],
    ['a port of zero', {sshPort: 0}, '/sshPort'],
    ['a port past the last', {sshPort: 65_536}, '/sshPort'],
    ['a port as text', {sshPort: '22'}, '/sshPort'],
    ['a user that is none', {sshUser: '-oProxyCommand=x'}, '/sshUser'],
  ])('is named: %s', async (_what, body, path) => {
    const daemon = await startTestDaemon()
    expect(await add(daemon, body)).toMatchObject({status: 400, body: {code: 'VALIDATION_ERROR', errors: [{path}]}})
  })

  test('of the local machine is named without those it takes', async () => {
    const daemon = await startTestDaemon()
    const [local] = (await daemon.call('GET', '/api/system/servers')).body
    const answer = await daemon.call('PATCH', `/api/system/servers/${local.id}`, {name: 'here', sshHost: 'x', sshPort: 1})
    expect(answer).toMatchObject({status: 400, body: {code: 'LOCAL_SERVER', fields: ['sshHost', 'sshPort']}})
  })
})
