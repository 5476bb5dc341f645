import {expect, test} from 'vitest'
import {parseJumpHosts, parseSshArgs} from '../../../../daemon/servers/ssh/ssh-args.js'

test('reads jump hosts in the order they are passed', () => {
  expect(parseJumpHosts('ops@one:2222, two ,[fe80::1]:22,srv_abc-DEF_123')).toEqual([
    {user: 'ops', host: 'one', port: 2222}, {user: null, host: 'two', port: 22}, {user: null, host: 'fe80::1', port: 22}, {serverId: 'srv_abc-DEF_123'},
  ])
})

test('refuses what is no jump host, naming the field', () => {
  for (const text of ['', 'a b', 'one:0', 'one:65536', '-oProxyCommand=x', 'user@', '@host', 'one,,two', 'a;b', '$(x)', Array(9).fill('h').join(',')]) {
    expect(() => parseJumpHosts(text), text).toThrow(expect.objectContaining({code: 'VALIDATION_ERROR', errors: [expect.objectContaining({path: '/sshJumpHost'})]}))
  }
})

test('takes the four harmless options of ssh in each way they are written', () => {
  expect(parseSshArgs(' -p 2222 -J ops@jump -o ConnectTimeout=5 -oServerAliveInterval=10 ')).toEqual({jump: 'ops@jump', port: 2222, connectTimeoutSeconds: 5, serverAliveSeconds: 10})
  expect(parseSshArgs('-p22 -o proxyjump=a,b')).toMatchObject({jump: 'a,b', port: 22})
  expect(parseSshArgs('')).toEqual({jump: null, port: null, connectTimeoutSeconds: null, serverAliveSeconds: null})
})

test('refuses every option that could run a program, read a file or weaken the check of host keys', () => {
  const refused = [
    '-o ProxyCommand=touch /tmp/x', '-oProxyCommand=x', '-o StrictHostKeyChecking=no', '-o UserKnownHostsFile=/dev/null', '-o LocalCommand=x', '-o Port=1', '-F /tmp/x',
    '-i /etc/shadow', '-A', '-L 1:a:2', 'host', '-o', '-p', '-p 0', '-p 65536', '-p 1e3', '-o ConnectTimeout=0', '-o ConnectTimeout=301', '-o ServerAliveInterval=x', '-J a;b', '-J',
    '-o ConnectTimeout 5',
  ]
  for (const text of refused) expect(() => parseSshArgs(text), text).toThrow(expect.objectContaining({code: 'VALIDATION_ERROR', errors: [expect.objectContaining({path: '/sshArgs'})]}))
})
