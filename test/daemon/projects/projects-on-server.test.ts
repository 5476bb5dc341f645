import {expect, it} from 'vitest'
import {Deployments} from '../../../daemon/projects/deployments/records.js'
import {findProjectsOnServer} from '../../../daemon/projects/projects-on-server.js'
import {Projects} from '../../../daemon/projects/records.js'
import {openQueue, organizationId} from './deployments/queue-fixture.js'
import {startTestDaemon} from '../start-test-daemon.js'

it('the projects of a server are those that are deployed to it and those that it still serves', async () => {
  const queue = await openQueue()
  const here = {id: 'srv_1', organizationId, isLocal: false}
  const [bound, moved, local] = [
    await queue.addProject({name: 'Bound', image: 'a:1', serverId: 'srv_1'}), await queue.addProject({name: 'Moved', image: 'a:1', serverId: 'srv_1'}), await queue.addProject({name: 'Local', image: 'a:1'}),
  ]
  const {deployment} = await queue.ask({projectId: moved.id})
  await queue.end(deployment.id, {status: 'ready', endReason: null, retained: true})
  await queue.store.transaction((transaction) => transaction.put(Projects, {...moved, serverId: 'srv_2', activeDeploymentId: deployment.id}))
  const going = (await queue.ask({projectId: bound.id})).deployment
  const found = await findProjectsOnServer(queue.store, here)
  expect(found.projects.map(({name}) => name).sort()).toEqual(['Bound', 'Moved'])
  expect(found.activeDeployments).toEqual([going.id])
  expect((await findProjectsOnServer(queue.store, {...here, id: 'srv_local', isLocal: true})).projects.map(({id}) => id)).toEqual([local.id])
  expect((await findProjectsOnServer(queue.store, {...here, organizationId: 'org_other'}))).toEqual({projects: [], activeDeployments: []})
  expect((await queue.store.find(Deployments, 'open', ['active'])).length).toBe(1)
})

it('deleting a server says what stays on it, and waits for a deployment unless it is forced', async () => {
  const daemon = await startTestDaemon()
  const server = (await daemon.call('POST', '/api/system/servers', {name: 'far', sshHost: '203.0.113.9', sshUser: 'root', sshAuthMethod: 'password', sshPassword: 'x'})).body
  const project = (await daemon.call('POST', '/api/projects', {name: 'Shop', image: 'a:1', serverId: server.id})).body.data
  const workloads = [{type: 'project', id: project.id, name: 'Shop'}]
  expect((await daemon.call('GET', `/api/system/servers/${server.id}/deletion-preview`)).body.preview).toMatchObject({workloads, projectCount: 1, appCount: 0})
  expect((await daemon.call('GET', '/api/system/servers')).body.map(({projectCount}: {projectCount: number}) => projectCount).sort()).toEqual([0, 1])
  const {deployment_id: id} = (await daemon.call('POST', '/api/deployments', {projectId: project.id})).body.data
  expect((await daemon.call('DELETE', `/api/system/servers/${server.id}`)).body).toMatchObject({code: 'SERVER_IN_USE', deploymentIds: [id]})
  expect((await daemon.call('DELETE', `/api/system/servers/${server.id}?force=true`)).body).toMatchObject({serverRemoved: true, workloads})
  await expect.poll(async () => (await daemon.call('GET', `/api/deployments/${id}`)).body.data.status, {timeout: 20_000}).toBe('failed')
}, 40_000)
