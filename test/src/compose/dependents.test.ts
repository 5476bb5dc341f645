import {expect, test} from 'vitest'
import type {ComposeService} from '../../../src/compose/compose-model.js'
import {findDependents} from '../../../src/compose/dependents.js'

const service = (name: string, more: Partial<ComposeService> = {}): ComposeService => ({
  name, image: 'lab/base:1', build: null, environment: {}, ports: [], mounts: [], dependsOn: [], healthcheck: null, command: null, entrypoint: null, restart: null, stopGracePeriod: null,
  labels: {}, networks: {}, others: {}, ...more,
})

test.each<[string, Partial<ComposeService>, boolean]>([
  ['waits for it', {dependsOn: [{service: 'db', condition: 'service_started'}]}, true],
  ['is linked to it by another name', {others: {links: ['db:database']}}, true],
  ['has its volumes', {others: {volumes_from: ['db:ro']}}, true],
  ['is in its network', {others: {network_mode: 'service:db'}}, true],
  ['sees its processes', {others: {pid: 'service:db'}}, true],
  ['has the network of the host', {others: {network_mode: 'host'}}, false],
  ['is linked to one that is called alike', {others: {links: ['db2:db']}}, false],
])('a service that %s', (_, more, depends) => {
  expect(findDependents('db', [service('db'), service('web', more)])).toEqual(depends ? ['web'] : [])
})
