import type {NetworkInterfaceInfo} from 'node:os'
import {expect, it} from 'vitest'
import {ownAddress} from '../../../daemon/servers/server-address.js'

const address = (text: string, internal = false, scopeid = 0): NetworkInterfaceInfo =>
  text.includes(':')
    ? {address: text, family: 'IPv6', internal, scopeid, netmask: '', mac: '', cidr: null}
    : {address: text, family: 'IPv4', internal, netmask: '', mac: '', cidr: null}

it('takes an address of this machine that others can use, IPv4 before IPv6', () => {
  const lo = [address('127.0.0.1', true), address('::1', true)]
  expect(ownAddress({lo, eth0: [address('fe80::1', false, 2), address('2001:db8::7'), address('192.0.2.7')]})).toBe('192.0.2.7')
  expect(ownAddress({lo, eth0: [address('fe80::1', false, 2), address('2001:db8::7')]})).toBe('[2001:db8::7]')
  expect(ownAddress({lo, eth0: [address('fe80::1', false, 2)]})).toBeUndefined()
})
