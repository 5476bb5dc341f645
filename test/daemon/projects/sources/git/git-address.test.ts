import fc from 'fast-check'
import {execFileSync} from 'node:child_process'
import {describe, expect, it} from 'vitest'
import {isBranchName, parseGitAddress, resolveSubmoduleUrl} from '../../../../../daemon/projects/sources/git/git-address.js'
import {accessFor} from '../../../../../daemon/projects/sources/git/list-submodules.js'
import {sshWords} from '../../../../../daemon/projects/sources/git/git-access.js'

describe('the address of a repository', () => {
  it.each([
    ['https://code.example.com/a/b.git', {transport: 'https', url: 'https://code.example.com/a/b.git', hostname: 'code.example.com', origin: 'https://code.example.com'}],
    ['  HTTPS://Code.Example.com:443/a/b  ', {transport: 'https', url: 'https://code.example.com/a/b', origin: 'https://code.example.com'}],
    ['http://10.0.0.1:3000/a b/c.git'.replace(' ', '%20'), {transport: 'http', url: 'http://10.0.0.1:3000/a%20b/c.git', origin: 'http://10.0.0.1:3000'}],
    ['https://me:p%40ss@code.example.com/a', {url: 'https://code.example.com/a', username: 'me', password: 'p@ss'}],
    ['https://token@code.example.com/a', {url: 'https://code.example.com/a', username: 'token', password: null}],
    ['ssh://git@code.example.com:2222/a/b.git', {transport: 'ssh', url: 'ssh://git@code.example.com:2222/a/b.git', hostname: 'code.example.com', username: null}],
    ['ssh://code.example.com/~me/b.git', {transport: 'ssh', url: 'ssh://code.example.com/~me/b.git'}],
    ['git@code.example.com:a/b.git', {transport: 'ssh', url: 'git@code.example.com:a/b.git', hostname: 'code.example.com'}],
    ['code.example.com:b.git', {transport: 'ssh', url: 'code.example.com:b.git'}],
    ['git@[::1]:b.git', {transport: 'ssh', hostname: '[::1]'}],
    ['git://code.example.com/a.git', {transport: 'git', url: 'git://code.example.com/a.git'}],
  ])('%s is read', (text, expected) => {
    expect(parseGitAddress(text)).toMatchObject(expected)
  })

  it.each([
    '', ' ', 'a', '/srv/repo.git', './repo', '../repo', 'file:///srv/repo.git', 'ext::sh -c touch% /tmp/x', 'ext::sh', 'fd::17', 'transport::address', '--upload-pack=touch /tmp/x', '-oProxyCommand=x',
    'ssh://-oProxyCommand=touch/a', 'git@-oProxyCommand=x:a', '-git@host:a', 'git@host:-a', 'https://host/-a', 'https://host', 'https://host/', 'ftp://host/a', 'javascript://host/a', 'https://ho st/a', 'https://host/a\nb',
    'ssh://user name@host/a', 'ssh://us%0aer@host/a', 'host:', 'C:\\repo', 'c:repo', 'a/b:c', 'https://host/a#b', 'https://%zz@host/a', 'git@host::a',
  ])('%j is refused', (text) => {
    expect(() => parseGitAddress(text)).toThrow(expect.objectContaining({code: 'SOURCE_UNAVAILABLE', details: {reason: 'address'}}))
  })

  it('is refused without showing a login that stands in it', () => {
    expect(() => parseGitAddress('ftp://me:secret@host/a')).toThrow(/^(?!.*secret)/)
  })

  it('is never an option and never of another protocol, whatever it was made from', () => {
    const piece = fc.oneof(fc.constantFrom('-', '--x', 'ext::', 'ssh://', 'https://', 'git@', 'host', ':', '/', '@', '%0a', '..', 'a'), fc.string({maxLength: 5}))
    fc.assert(
      fc.property(fc.array(piece, {maxLength: 8}).map((parts) => parts.join('')), (text) => {
        let url = ''
        try {
          url = parseGitAddress(text).url
        } catch {
          return
        }
        expect(url).toMatch(/^(?:https?:\/\/[^-@/]|ssh:\/\/[^-]|git:\/\/[^-@/]|[A-Za-z0-9_.~+[])/)
        expect(url).not.toMatch(/^[a-z]+::|[\s\0]/i)
      }),
      {numRuns: 2000},
    )
  })
})

describe('the address of a submodule', () => {
  it.each([
    ['https://h.example/a/b.git', '../c.git', 'https://h.example/a/c.git'], ['https://h.example/a/b.git', './c', 'https://h.example/a/b.git/c'], ['https://h.example/a/b/', '../../d/e', 'https://h.example/d/e'],
    ['git@h.example:a/b.git', '../c.git', 'git@h.example:a/c.git'], ['ssh://git@h.example:22/a/b.git', '../c', 'ssh://git@h.example:22/a/c'], ['https://h.example/a/b', 'https://o.example/x', 'https://o.example/x'],
  ])('of %s, written as %s, is %s', (parent, url, expected) => {
    expect(resolveSubmoduleUrl(parseGitAddress(parent), url).url).toBe(expected)
  })

  it.each(['../../../x', '-x', '/srv/x', 'ext::sh', 'file:///x', 'sub/dir'])('%s is refused', (url) => {
    expect(() => resolveSubmoduleUrl(parseGitAddress('https://h.example/a/b'), url)).toThrow(expect.objectContaining({details: {reason: 'address'}}))
  })

  it.each([
    ['https://h.example/x', {deployKey: 'KEY', username: 'me', password: 'pw'}], ['https://other.example/x', {deployKey: null, username: null, password: null}], ['http://h.example/x', {deployKey: 'KEY', username: null, password: null}],
    ['https://h.example:8443/x', {deployKey: 'KEY', username: null, password: null}], ['git@h.example:x', {deployKey: 'KEY', username: null, password: null}], ['https://h.example.evil.example/x', {deployKey: null, password: null}],
    ['https://own:word@other.example/x', {username: 'own', password: 'word'}],
  ])('%s is reached with no more of the access of its parent than belongs there', (url, expected) => {
    expect(accessFor({url: 'https://h.example/a/b', deployKey: 'KEY', username: 'me', password: 'pw'}, parseGitAddress(url))).toMatchObject(expected)
  })
})

describe('the name of a branch', () => {
  it('is what git takes for one', () => {
    const isTaken = (name: string) => {
      try {
        execFileSync('git', ['check-ref-format', '--branch', name], {stdio: 'ignore', env: {PATH: process.env['PATH']}})
        return true
      } catch {
        return false
      }
    }
    const names = ['main', 'a/b', 'ünïcödé', 'v1.0', 'a.lock', 'a..b', '.a', 'a/.b', 'a/', '/a', 'a//b', 'a b', 'a~1', 'a^', 'a:b', 'a?', 'a*', 'a[b', 'a\\b', 'a@{b', '-a', 'a.', 'a.lock/b', 'x@y', 'HEADS', '{', '']
    expect(names.filter(isBranchName)).toEqual(names.filter(isTaken))
  })
})

describe('the command for ssh', () => {
  it('uses no configuration, no agent and no other key than the one given, and keeps to the first key of a host', () => {
    expect(sshWords('/k/key', '/a b/100%/known').join(' ')).toBe(
      'ssh -F none -o BatchMode=yes -o IdentitiesOnly=yes -o IdentityAgent=none -o IdentityFile="/k/key" -o PreferredAuthentications=publickey -o StrictHostKeyChecking=accept-new' +
        ' -o UserKnownHostsFile="/a b/100%%/known" -o GlobalKnownHostsFile=/dev/null -o HashKnownHosts=no -o UpdateHostKeys=no -o CheckHostIP=no -o ConnectTimeout=20 -o ServerAliveInterval=15' +
        ' -o ServerAliveCountMax=4 -o ForwardAgent=no -o ControlMaster=no -o PermitLocalCommand=no -o ProxyCommand=none -o LogLevel=ERROR',
    )
  })
})
