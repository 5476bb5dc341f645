import {expect, it} from 'vitest'
import {dressService} from '../../../../daemon/projects/deployments/dress-service.js'
import {publicUrlsOf} from '../../../../src/catalog/public-urls.js'
import {fromServiceFields} from '../../../../src/compose/from-service-fields.js'
import type {ServiceFields} from '../../../../src/compose/to-service-fields.js'

const fields: ServiceFields = {
  name: 'web', image: null, build: '.', dockerfile: 'web/Dockerfile', ports: ['0.0.0.0:8080:80'], volumes: [], dependsOn: [], command: null, commandArgv: null, restart: 'unless-stopped', advanced: {},
  environment: {URL: '{{publicUrl:web}}/x', API: '{{publicUrl:api:90}}', HIDDEN: '{{publicUrl:db}}', FOREIGN: '{{ $json.id }}', TITLE: 'ours', OTHER: 'no argument'},
}
const urls = publicUrlsOf([{name: 'web', ports: ['0.0.0.0:8080:80']}, {name: 'api', ports: ['9000:90']}, {name: 'db', ports: ['5432']}], {host: '192.0.2.7'})
const {service} = fromServiceFields(fields, {folder: '.'})

it('puts the addresses of now into an environment, leaves unset what has none, and what is not ours as it is', () => {
  const {definition, warnings} = dressService(service, {files: [], buildFiles: {}, buildArguments: {}, warnings: []}, urls)
  expect(definition.environment).toEqual({URL: 'http://192.0.2.7:8080/x', API: 'http://192.0.2.7:9000', FOREIGN: '{{ $json.id }}', TITLE: 'ours', OTHER: 'no argument'})
  expect(warnings).toEqual([
    'web: HIDDEN is left unset: {{publicUrl:db}} names no address',
    'web: API gets http://192.0.2.7:9000, and that port is published on 127.0.0.1 only',
  ])
  expect(definition).not.toHaveProperty('files')
})

it('gives a service its own files, with nothing where an address is missing', () => {
  const files = [
    {service: 'web', path: '/etc/web.conf', content: 'a {{publicUrl:web}} b {{publicUrl:db}} c', isSecret: true},
    {service: 'api', path: '/etc/api.conf', content: 'x', isSecret: false},
  ]
  const {definition, warnings} = dressService(service, {files, buildFiles: {}, buildArguments: {}, warnings: []}, urls)
  expect(definition.files).toEqual([{target: '/etc/web.conf', content: 'a http://192.0.2.7:8080 b  c', mode: '0444', isSecret: true}])
  expect(warnings).toContain('web: the file /etc/web.conf gets nothing for {{publicUrl:db}}, which names no address')
})

it('gives a build those arguments that its Dockerfile takes', () => {
  const {definition} = dressService(service, {files: [], buildFiles: {}, buildArguments: {web: ['TITLE', 'URL', 'HIDDEN', 'VERSION']}, warnings: []}, urls)
  expect(definition.build).toMatchObject({context: '.', dockerfile: 'web/Dockerfile', args: {TITLE: 'ours', URL: 'http://192.0.2.7:8080/x'}})
})
