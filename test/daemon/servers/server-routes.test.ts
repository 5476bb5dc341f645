import {readdir, readFile} from 'node:fs/promises'
import {join} from 'node:path'
import {describe, expect, test} from 'vitest'
import {freePort} from '../../lab/lab-ports.js'
import {openSshMissing, startOpenSsh} from '../../lab/openssh.js'
import {sharedPart} from '../../lab/shared-part.js'
import {startTestDaemon, type TestDaemon} from '../start-test-daemon.js'

const missing = openSshMissing()
const otherKey = `SHA256:${'A'.repeat(43)}`

describe.skipIf(missing !== null)('servers over HTTP', () => {
  const lab = sharedPart(startOpenSsh)
  const server = sharedPart(() => lab.server())
  const user = sharedPart(() => lab.user())

  const wish = (more: object = {}) => ({
    name: 'web', sshHost: server.host, sshPort: server.port, sshUser: user.name, sshAuthMethod: 'key', sshPrivateKey: lab.key, ...more,
  })
  const add = async (daemon: TestDaemon, more: object = {}) => (await daemon.call('POST', '/api/system/servers', wish(more))).body
  const patch = (daemon: TestDaemon, id: string, body: object) => daemon.call('PATCH', `/api/system/servers/${id}`, body)

  test('pins the first key that answers as unverified, and confirms it when a person sends it', async () => {
    const daemon = await startTestDaemon()
    const created = await add(daemon)
    expect(created).toMatchObject({hostKeyFingerprint: server.fingerprint(), hostKeyStatus: 'unverified', hasStoredKeyMaterial: true, hasStoredPassword: false})
    expect((await patch(daemon, created.id, {hostKeyFingerprint: server.fingerprint()})).body.hostKeyStatus).toBe('verified')
    expect((await patch(daemon, created.id, {name: 'renamed'})).body).toMatchObject({name: 'renamed', hostKeyStatus: 'verified'})
  })

  test('refuses another key than the one that is sent or pinned, with both', async () => {
    const daemon = await startTestDaemon()
    const refused = await daemon.call('POST', '/api/system/servers', wish({hostKeyFingerprint: otherKey}))
    expect([refused.status, refused.body.code, refused.body.expected, refused.body.presented]).toEqual([409, 'HOST_KEY_CHANGED', otherKey, server.fingerprint()])
    const created = await add(daemon)
    expect((await patch(daemon, created.id, {hostKeyFingerprint: otherKey})).body).toMatchObject({code: 'HOST_KEY_CHANGED', expected: otherKey, presented: server.fingerprint()})
    expect((await daemon.call('GET', `/api/system/servers/${created.id}`)).body.hostKeyFingerprint).toBe(server.fingerprint())
  })

  test('tells a changed host key everywhere until it is replaced', async () => {
    const daemon = await startTestDaemon()
    const moving = await lab.server()
    const created = await add(daemon, {sshPort: moving.port})
    await moving.replaceHostKey()
    expect((await daemon.call('GET', `/api/system/servers/${created.id}/reachability`)).body).toMatchObject({reachable: false, code: 'host_key_changed', latencyMs: null})
    const exec = await daemon.call('POST', `/api/system/servers/${created.id}/exec`, {command: 'true'})
    expect([exec.status, exec.body.code, exec.body.presented]).toEqual([409, 'HOST_KEY_CHANGED', moving.fingerprint()])
    await patch(daemon, created.id, {hostKeyFingerprint: moving.fingerprint()})
    expect((await daemon.call('POST', `/api/system/servers/${created.id}/exec`, {command: 'echo back'})).body.data.stdout).toBe('back\n')
  })

  test('adds a server that can not be reached, without a pin, and tells why', async () => {
    const daemon = await startTestDaemon()
    const created = await add(daemon, {sshPort: await freePort()})
    expect(created).toMatchObject({hostKeyStatus: 'none', hostKeyFingerprint: null})
    expect((await daemon.call('GET', `/api/system/servers/${created.id}/reachability`)).body).toMatchObject({reachable: false, code: 'refused', channel: 'ssh', target: server.host})
    const exec = await daemon.call('POST', `/api/system/servers/${created.id}/exec`, {command: 'true'})
    expect([exec.status, exec.body.code, exec.body.serverId]).toEqual([502, 'SERVER_UNREACHABLE', created.id])
  })

  test('runs through a jump host that is another server, each with its own pin', async () => {
    const daemon = await startTestDaemon()
    const hidden = await lab.hidden()
    const jump = await add(daemon, {name: 'jump', sshHost: hidden.jump.host, sshPort: hidden.jump.port})
    const target = await add(daemon, {name: 'hidden', sshHost: hidden.target.host, sshPort: hidden.target.port, sshJumpHost: jump.id})
    expect(target.hostKeyFingerprint).toBe(hidden.target.fingerprint())
    expect((await daemon.call('GET', `/api/system/servers/${target.id}/reachability`)).body).toMatchObject({reachable: true, channel: 'jump'})
    const named = await add(daemon, {name: 'named', sshHost: hidden.target.host, sshPort: hidden.target.port, sshJumpHost: `${hidden.jump.host}:${hidden.jump.port}`})
    expect(named.jumpHostKeys).toEqual([{host: hidden.jump.host, hostKeyFingerprint: hidden.jump.fingerprint()}])
    expect((await daemon.call('POST', `/api/system/servers/${named.id}/exec`, {command: 'echo $SSH_CONNECTION | wc -w'})).body.data.stdout.trim()).toBe('4')
    expect((await patch(daemon, jump.id, {sshJumpHost: target.id})).status).toBe(400)
  })

  test('tries a connection and stores nothing', async () => {
    const daemon = await startTestDaemon()
    const test = (body: object) => daemon.call('POST', '/api/system/test-connection', body)
    const {name: _name, ...connection} = wish()
    expect((await test(connection)).body).toMatchObject({ok: true, code: 'reachable', hostKeyFingerprint: server.fingerprint(), jumpHostKeys: []})
    expect((await test({...connection, sshPrivateKey: lab.encryptedKey})).body).toMatchObject({ok: false, code: 'key_invalid', hint: /passphrase/})
    const wrong = await test({...connection, sshAuthMethod: 'password', sshPassword: 'wrong'})
    expect([wrong.status, wrong.body.ok, wrong.body.code]).toEqual([200, false, 'auth_failed'])
    expect((await daemon.call('GET', '/api/system/servers')).body).toHaveLength(1)
  })

  test('tries a stored server as it is, and never sends what is stored to another address', async () => {
    const daemon = await startTestDaemon()
    const created = await add(daemon, {sshAuthMethod: 'password', sshPassword: user.password, sshPrivateKey: null})
    const test = (body: object) => daemon.call('POST', '/api/system/test-connection', {serverId: created.id, ...body})
    expect((await test({})).body).toMatchObject({ok: true})
    for (const moved of [{sshHost: '127.0.0.2'}, {sshPort: 2222}, {sshUser: 'other'}, {sshJumpHost: '127.0.0.1:2222'}]) expect((await test(moved)).status).toBe(400)
  })

  test('sends a stored password to a new address only where the pinned key proves the server', async () => {
    const daemon = await startTestDaemon()
    const created = await add(daemon, {sshAuthMethod: 'password', sshPassword: user.password, sshPrivateKey: null})
    const change = (body: object) => daemon.call('PATCH', `/api/system/servers/${created.id}`, body)
    for (const moved of [{sshHost: '127.0.0.9', hostKeyFingerprint: null}, {sshJumpHost: '127.0.0.1:2222'}]) {
      expect((await change(moved)).body).toMatchObject({code: 'VALIDATION_ERROR', errors: [{path: '/sshPassword'}]})
    }
    expect((await change({hostKeyFingerprint: null})).status).toBe(200)
    expect((await change({sshPassword: null, sshAuthMethod: 'agent', sshPort: 1, sshHost: '127.0.0.9', hostKeyFingerprint: null})).status).toBe(200)
  })

  test('keeps every credential sealed: none shows in an answer, the log or a file of the store', async () => {
    const daemon = await startTestDaemon()
    const planted = {sshPassword: 'planted-password-1', sshKeyPassphrase: 'planted-passphrase-2', sshPrivateKey: lab.key}
    const created = await add(daemon, planted)
    await daemon.call('POST', `/api/system/servers/${created.id}/exec`, {command: 'true'})
    const files = await Promise.all((await readdir(daemon.home, {recursive: true, withFileTypes: true})).filter((each) => each.isFile()).map((each) => readFile(join(each.parentPath, each.name), 'latin1')))
    const everything = [JSON.stringify(created), daemon.log.join('\n'), ...files].join('\n')
    for (const secret of ['planted-password-1', 'planted-passphrase-2', lab.key.split('\n')[2] ?? '']) expect(everything).not.toContain(secret)
  })

  test('refuses to delete a server that jobs name, and the local machine', async () => {
    const daemon = await startTestDaemon()
    const created = await add(daemon)
    const job = await daemon.call('POST', '/api/jobs', {name: 'nightly', label: 'nightly', scheduleType: 'manual', command: 'true', serverIds: [created.id]})
    expect(job.status).toBe(201)
    const refused = await daemon.call('DELETE', `/api/system/servers/${created.id}`)
    expect([refused.status, refused.body.code, refused.body.jobs[0].label]).toEqual([409, 'SERVER_IN_USE', 'nightly'])
    expect((await daemon.call('GET', `/api/system/servers/${created.id}/deletion-preview`)).body.preview).toMatchObject({reachable: true, activeRuns: []})
    expect((await daemon.call('DELETE', `/api/system/servers/${created.id}?force=true`)).body).toMatchObject({ok: true, serverRemoved: true})
    const [local] = (await daemon.call('GET', '/api/system/servers')).body
    expect((await daemon.call('DELETE', `/api/system/servers/${local.id}`)).body.code).toBe('LOCAL_SERVER')
    expect((await patch(daemon, local.id, {sshPort: 2222})).body.code).toBe('LOCAL_SERVER')
  })

  test('refuses bad input with the field, and a twin with SERVER_EXISTS', async () => {
    const daemon = await startTestDaemon()
    await add(daemon)
    const cases: [object, string, string?][] = [
      [{sshHost: 'a b'}, 'VALIDATION_ERROR', '/sshHost'], [{sshPort: 0}, 'VALIDATION_ERROR', '/sshPort'], [{sshPort: 65_536}, 'VALIDATION_ERROR', '/sshPort'],
      [{sshArgs: '-o ProxyCommand=x'}, 'VALIDATION_ERROR', '/sshArgs'], [{sshJumpHost: 'a;b'}, 'VALIDATION_ERROR', '/sshJumpHost'],
      [{sshPrivateKey: 'ssh-ed25519 AAAA'}, 'VALIDATION_ERROR', '/sshPrivateKey'], [{sshPrivateKey: null, sshKeyPath: '/etc/../etc/shadow'}, 'KEY_PATH_NOT_ALLOWED'],
      [{hostKeyFingerprint: 'MD5:aa'}, 'VALIDATION_ERROR', '/hostKeyFingerprint'], [{}, 'SERVER_EXISTS'], [{name: 'web', sshPort: 1}, 'SERVER_EXISTS'],
    ]
    for (const [more, code, path] of cases) {
      const {body} = await daemon.call('POST', '/api/system/servers', wish({name: 'other', ...more}))
      expect([more, body.code, body.errors?.[0]?.path]).toEqual([more, code, path])
    }
  })
})
