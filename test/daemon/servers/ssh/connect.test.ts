import {execFileSync, spawn} from 'node:child_process'
import {once} from 'node:events'
import {existsSync} from 'node:fs'
import {mkdir, symlink, writeFile} from 'node:fs/promises'
import net from 'node:net'
import {join} from 'node:path'
import {describe, expect, test} from 'vitest'
import type {PresentedKey} from '../../../../daemon/servers/ssh/open-connection.js'
import type {SshTarget} from '../../../../daemon/servers/ssh/ssh-target.js'
import {freePort} from '../../../lab/lab-ports.js'
import {openSshMissing, startOpenSsh} from '../../../lab/openssh.js'
import {sharedPart} from '../../../lab/shared-part.js'
import type {LabServer} from '../../../lab/sshd.js'
import {hopTo, labPool, targetOf} from '../../../lab/ssh-target.js'

const missing = openSshMissing()

describe.skipIf(missing !== null)('connecting to a server', () => {
  const lab = sharedPart(startOpenSsh)
  const server = sharedPart(() => lab.server())
  const root = sharedPart(() => lab.user())

  const signal = () => AbortSignal.timeout(20_000)
  const probe = (target: SshTarget, presented: PresentedKey[] = []) => labPool().probe(target, signal(), presented)
  const byKey = () => hopTo(server, root, {method: 'key', privateKey: lab.key})
  const failure = async (target: SshTarget) => {
    const error: unknown = await probe(target).then(() => new Error('it was reached'), (reason: unknown) => reason)
    return error as {code: string; details: {code: string; hint: string}; message: string}
  }

  test('lets in by a stored key, and tells the fingerprint that ssh-keygen tells', async () => {
    expect(await probe(targetOf([byKey()]))).toEqual([{host: server.host, hostKeyFingerprint: server.fingerprint()}])
  })

  test('lets in by password, by an encrypted key with its passphrase, and by prompts', async () => {
    await probe(targetOf([hopTo(server, root, {method: 'password', password: root.password})]))
    await probe(targetOf([hopTo(server, root, {method: 'key', privateKey: lab.encryptedKey, passphrase: lab.keyPassphrase})]))
    const prompting = await lab.server({options: ['UsePAM=yes', 'PasswordAuthentication=no', 'KbdInteractiveAuthentication=yes', 'PubkeyAuthentication=no']})
    await probe(targetOf([hopTo(prompting, root, {method: 'password', password: root.password})]))
  })

  test('tells a wrong password, an unknown key and a user without a credential apart from an unreachable host', async () => {
    for (const credentials of [{method: 'password', password: 'wrong'}, {method: 'password'}, {method: null}, {method: 'agent'}] as const) {
      expect(await failure(targetOf([hopTo(server, root, credentials)]))).toMatchObject({code: 'SERVER_UNREACHABLE', details: {code: 'auth_failed', hint: /authorized_keys/}})
    }
  })

  test('tells what is wrong with a key', async () => {
    const code = async (credentials: Parameters<typeof hopTo>[2]) => (await failure(targetOf([hopTo(server, root, {method: 'key', ...credentials})]))).details.code
    expect(await code({})).toBe('key_missing')
    expect(await code({privateKey: 'no key at all'})).toBe('key_invalid')
    expect(await code({privateKey: lab.encryptedKey})).toBe('key_invalid')
    expect(await code({privateKey: lab.encryptedKey, passphrase: 'wrong'})).toBe('key_invalid')
  })

  test('reads a key file under the allowed folders alone, after following links', async () => {
    const allowed = join(lab.folder, 'allowed')
    await mkdir(allowed, {recursive: true})
    await writeFile(join(allowed, 'key'), lab.key)
    await writeFile(join(allowed, 'text'), 'hello')
    await symlink('/etc/shadow', join(allowed, 'link'))
    const pool = labPool({settings: {keyFolders: [allowed], agentSocket: undefined}})
    const tryPath = (keyPath: string) => pool.probe(targetOf([hopTo(server, root, {method: 'key', keyPath})]), signal())
    await tryPath(join(allowed, 'key'))
    await expect(tryPath(join(allowed, 'none'))).rejects.toMatchObject({details: {code: 'key_missing'}})
    await expect(tryPath(join(allowed, 'text'))).rejects.toMatchObject({details: {code: 'key_invalid'}})
    for (const outside of [join(allowed, 'link'), '/etc/shadow', lab.keyFile, `${allowed}/../key`, 'key', '/etc/none']) {
      await expect(tryPath(outside)).rejects.toMatchObject({code: 'KEY_PATH_NOT_ALLOWED'})
    }
  })

  test('refuses another host key than the pinned one, and names both', async () => {
    const pinned = `SHA256:${'A'.repeat(43)}`
    const target = targetOf([{...byKey(), expectedFingerprint: pinned}])
    expect(await failure(target)).toMatchObject({code: 'HOST_KEY_CHANGED', details: {expected: pinned, presented: server.fingerprint()}})
  })

  test('takes a pin of any kind of key that the server has', async () => {
    const many = await lab.server({moreKeys: ['rsa', 'ecdsa']})
    for (const kind of ['rsa', 'ecdsa'] as const) {
      const hostKeyFingerprint = await many.fingerprintOf(kind)
      const hop = hopTo(many, root, {method: 'key', privateKey: lab.key}, {expectedFingerprint: hostKeyFingerprint})
      expect(await probe(targetOf([hop]))).toEqual([{host: many.host, hostKeyFingerprint}])
      expect(await failure(targetOf([{...hop, user: 'no-such-user'}]))).toMatchObject({details: {code: 'auth_failed'}})
    }
  })

  test('lets in by the agent of the daemon', async () => {
    const agentSocket = join(lab.folder, 'agent')
    const agent = spawn('ssh-agent', ['-D', '-a', agentSocket], {stdio: 'ignore'})
    try {
      await expect.poll(() => existsSync(agentSocket)).toBe(true)
      execFileSync('ssh-add', ['-q', lab.keyFile], {env: {PATH: process.env['PATH'], SSH_AUTH_SOCK: agentSocket}, stdio: 'ignore'})
      const pool = labPool({settings: {keyFolders: [], agentSocket}})
      expect(await pool.probe(targetOf([hopTo(server, root, {method: 'agent'})]), signal())).toHaveLength(1)
    } finally {
      agent.kill()
    }
  })

  test('sends no password to a server with another key', async () => {
    const changed = await lab.server()
    const target = targetOf([hopTo(changed, root, {method: 'password', password: root.password})])
    await changed.replaceHostKey()
    expect((await failure(target)).code).toBe('HOST_KEY_CHANGED')
  })

  test('tells refused, unknown names and ports that speak something else apart', async () => {
    const hop = byKey()
    const code = async (more: Partial<typeof hop>, connectTimeoutMs = 10_000) => (await failure(targetOf([{...hop, ...more}], {connectTimeoutMs}))).details.code
    expect(await code({port: await freePort()})).toBe('refused')
    expect(await code({host: 'no-such-host.invalid'})).toBe('dns_failed')
    const web = net.createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')).listen(0, '127.0.0.1')
    const mute = net.createServer(() => undefined).listen(0, '127.0.0.1')
    await Promise.all([web, mute].map((listener) => once(listener, 'listening')))
    const portOf = (listener: net.Server) => (listener.address() as net.AddressInfo).port
    try {
      expect(await code({port: portOf(web)})).toBe('protocol_error')
      expect(await code({port: portOf(mute)}, 500)).toBe('timeout')
    } finally {
      web.close()
      mute.close()
    }
  })

  test('goes through a jump host, each with its own pin, and tells a port that drops packets', async () => {
    const {jump, target, filteredPort} = await lab.hidden()
    const hop = (each: LabServer) => hopTo(each, root, {method: 'key', privateKey: lab.key})
    expect(await probe(targetOf([hop(jump), hop(target)]))).toEqual([jump, target].map((each) => ({host: each.host, hostKeyFingerprint: each.fingerprint()})))
    const wrongJump = {...hop(jump), expectedFingerprint: target.fingerprint()}
    expect(await failure(targetOf([wrongJump, hop(target)]))).toMatchObject({code: 'HOST_KEY_CHANGED', details: {host: jump.host}})
    expect(await failure(targetOf([hop(jump), {...hop(target), port: 1}]))).toMatchObject({details: {code: 'refused'}})
    const filtered = targetOf([{...hop(jump), port: filteredPort}], {connectTimeoutMs: 1000})
    expect(await failure(filtered)).toMatchObject({details: {code: 'filtered', hint: /firewall/}})
  })

  test('gives up when its signal fires', async () => {
    const stop = AbortSignal.abort(new Error('enough'))
    await expect(labPool().probe(targetOf([byKey()]), stop)).rejects.toThrow('enough')
  })
})
