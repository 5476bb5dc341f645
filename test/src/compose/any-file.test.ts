import fc from 'fast-check'
import {expect, test} from 'vitest'
import {readCompose} from '../../../src/compose/read-compose.js'

// Files of every shape: known keys with values of any type.

const serviceKeys = [
  'annotations', 'build', 'cap_add', 'command', 'configs', 'container_name', 'cpus', 'depends_on', 'deploy', 'devices', 'dns', 'entrypoint', 'env_file', 'environment', 'expose', 'extends', 'extra_hosts', 'gpus', 'healthcheck', 'image', 'init',
  'label_file', 'labels', 'links', 'logging', 'mem_limit', 'network_mode', 'networks', 'pid', 'ports', 'post_start', 'privileged', 'profiles', 'restart', 'scale', 'secrets', 'security_opt', 'stop_grace_period', 'sysctls', 'tmpfs', 'ulimits', 'volumes', 'volumes_from', 'x-y',
]
const innerKeys = ['source', 'target', 'type', 'published', 'host_ip', 'test', 'interval', 'context', 'dockerfile', 'args', 'file', 'service', 'path', 'condition', 'resources', 'limits', 'memory', 'aliases', 'name', 'external', 'content', 'driver', 'a', '__proto__', 'constructor']
const leaf = fc.oneof(fc.constantFrom('', 'a', 'b', './x', '/x', 'a:/x', '80:80', '${A}', '${A:-b}', '${', '$$', 'service:a', 'container:x', 'true', '1s', '1g', '../..', 'x.yml', 'x.env'), fc.integer(), fc.boolean(), fc.constant(null), fc.double())
const value: fc.Arbitrary<unknown> = fc.letrec<{any: unknown}>((tie) => ({any: fc.oneof({depthSize: 'small', withCrossShrink: true}, leaf, fc.array(tie('any'), {maxLength: 3}), fc.dictionary(fc.constantFrom(...innerKeys), tie('any'), {maxKeys: 3}))})).any
const services = fc.dictionary(fc.constantFrom('a', 'b', 'c_d', '__proto__', ''), fc.oneof({weight: 5, arbitrary: fc.dictionary(fc.constantFrom(...serviceKeys), value, {maxKeys: 6})}, {weight: 1, arbitrary: value}), {maxKeys: 3})
const file = fc.dictionary(fc.constantFrom('volumes', 'networks', 'secrets', 'configs', 'include', 'version', 'name', 'x-a'), value, {maxKeys: 4}).chain((top) => services.map((all) => ({...top, services: all})))

test('no file makes the reader fail: it answers a project, or says where it is wrong', async () => {
  await fc.assert(
    fc.asyncProperty(file, file, file, fc.string(), async (main, over, other, env) => {
      const files = new Map([['over.yml', JSON.stringify(over)], ['x.yml', JSON.stringify(other)], ['x.env', env], ['.env', env]])
      const result = await readCompose({path: 'compose.yml', text: JSON.stringify(main), overrides: ['over.yml'], variables: {A: 'b'}, profiles: ['a'], readText: async (path) => files.get(path)})
      expect(result.project === null).toBe(result.problems.some(({severity}) => severity === 'error'))
      for (const {line, column, path} of result.problems) expect([line > 0, column > 0, path === '' || path.startsWith('/')]).toEqual([true, true, true])
    }),
    {numRuns: 600},
  )
})
