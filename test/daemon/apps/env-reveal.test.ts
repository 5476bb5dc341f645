import {expect, it} from 'vitest'
import {app, startAppDaemon} from './app-fixture.js'

const address = '{{publicUrl:web}}'

it('reveals variables with public addresses in them, as a deployment would set them', async () => {
  const {call} = await startAppDaemon([app('paste', {
    services: [{name: 'web', image: 'lab/web:1', exposed: true, exposedPort: 80, ports: ['80'], environment: {ORIGIN: `${address}/in`, NOWHERE: '{{publicUrl:gone}}', PLAIN: 'yes'}}, {name: 'gone', image: 'lab/web:1'}],
  })])
  const {body: {data}} = await call('POST', '/api/apps', {templateId: 'paste', routes: [{service: 'web', port: 80, mode: 'custom', customDomain: 'paste.example.com'}]})
  await call('PATCH', `/api/projects/${data.projectId}/env`, {environment: 'production', upserts: [{key: 'HOME_URL', value: address}, {key: 'PLAIN', value: 'no'}], deletes: []})
  const keys = ['ORIGIN', 'NOWHERE', 'PLAIN', 'HOME_URL']
  const ofService = await call('POST', `/api/projects/${data.projectId}/services/web/env-reveal`, {keys, environment: 'production'})
  expect(ofService.body.environment).toEqual({ORIGIN: 'https://paste.example.com/in', PLAIN: 'yes', HOME_URL: 'https://paste.example.com'})
  const ofProject = await call('POST', `/api/projects/${data.projectId}/env-reveal`, {keys, environment: 'production'})
  expect(ofProject.body.data.environment).toEqual({PLAIN: 'no', HOME_URL: 'https://paste.example.com'})
})
