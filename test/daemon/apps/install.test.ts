import {expect, it} from 'vitest'
import {app, startAppDaemon} from './app-fixture.js'

it('creates the project of an app with its services and generated secrets', async () => {
  const paste = app('paste-box', {
    services: [{name: 'web', image: 'paste:1', exposed: true, exposedPort: 8090, environment: {DB: 'db:{{config:PASSWORD}}'}}, {name: 'db', image: 'db:1'}],
    configFields: [{key: 'PASSWORD', service: 'db', label: 'Password', generate: 'secret', secret: true}],
  })
  const daemon = await startAppDaemon([paste])
  const {status, body} = await daemon.call('POST', '/api/apps', {templateId: 'paste-box'})
  expect([status, body]).toMatchObject([200, {data: {kind: 'template', slug: 'app-paste-box'}}])
  const {projectId} = body.data
  expect((await daemon.call('GET', `/api/projects/${projectId}`)).body.data).toMatchObject({name: 'App paste-box', isApp: true, appTemplateId: 'paste-box', framework: 'docker-compose', runtimeMode: 'docker', projectType: 'services'})
  const services = (await daemon.call('GET', `/api/projects/${projectId}/services`)).body
  console.log(JSON.stringify(services).slice(0, 2000))
  console.log(JSON.stringify((await daemon.call('GET', `/api/projects/${projectId}/env`)).body))
  console.log(JSON.stringify((await daemon.call('GET', `/api/projects/${projectId}/app-settings`)).body))
})
