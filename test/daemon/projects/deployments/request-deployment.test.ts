import {describe, expect, it} from 'vitest'
import {cancelDeployment} from '../../../../daemon/projects/deployments/cancel-deployment.js'
import {Deployments, Releases} from '../../../../daemon/projects/deployments/records.js'
import {Projects} from '../../../../daemon/projects/records.js'
import {UploadSessions} from '../../../../daemon/projects/sources/records.js'
import {systemClock} from '../../../../daemon/clock.js'
import {createRecordEvent} from '../../../../daemon/events/event-log.js'
import {ada, openQueue, organizationId} from './queue-fixture.js'

const image = {name: 'Shop', image: 'lab/web:1'}

describe('asking for a deployment', () => {
  it('begins at once, with who asked and an event in the same transaction', async () => {
    const queue = await openQueue()
    const project = await queue.addProject(image)
    const {deployment} = await queue.ask({projectId: project.id})
    expect(deployment).toMatchObject({slot: 'active', status: 'queued', requestedBy: 'usr_ada', trigger: 'manual', stage: 'before-up', attempt: 0})
    expect(deployment.steps.map(({step, status}) => `${step} ${status}`)).toEqual(['prepare pending', 'clone pending', 'install pending', 'build pending', 'deploy pending'])
    const events = await queue.events()
    expect(events.map(({type, resourceId, actor}) => [type, resourceId, actor.userId])).toEqual([['deployment.requested', project.id, 'usr_ada']])
  })

  it('waits behind one of its project, and takes the place of one that waits already', async () => {
    const queue = await openQueue()
    const project = await queue.addProject(image)
    const [first, second, third] = [await queue.ask({projectId: project.id}), await queue.ask({projectId: project.id}), await queue.ask({projectId: project.id})].map(({deployment}) => deployment.id)
    expect((await queue.deployment(first ?? '')).slot).toBe('active')
    expect(await queue.deployment(second ?? '')).toMatchObject({slot: null, status: 'cancelled', endReason: 'superseded'})
    expect((await queue.deployment(third ?? '')).slot).toBe('waiting')
  })

  it('gives two that come at the same instant one place each', async () => {
    const queue = await openQueue()
    const project = await queue.addProject(image)
    const asked = await Promise.all([queue.ask({projectId: project.id}), queue.ask({projectId: project.id})])
    expect(asked.map(({deployment}) => deployment.slot).sort()).toEqual(['active', 'waiting'])
  })

  it('lets the one that waits begin when the active one ends, however that ends', async () => {
    const queue = await openQueue()
    const project = await queue.addProject(image)
    const first = (await queue.ask({projectId: project.id})).deployment
    const second = (await queue.ask({projectId: project.id})).deployment
    await queue.end(first.id, {status: 'failed', endReason: 'build', errorMessage: 'no'})
    expect((await queue.deployment(second.id)).slot).toBe('active')
    expect(await queue.deployment(first.id)).toMatchObject({slot: null, status: 'failed', endReason: 'build', errorMessage: 'no'})
  })

  it('does not let projects wait for each other', async () => {
    const queue = await openQueue()
    const [one, two] = [await queue.addProject(image), await queue.addProject({...image, name: 'Blog'})]
    const slots = [await queue.ask({projectId: one.id}), await queue.ask({projectId: two.id})].map(({deployment}) => deployment.slot)
    expect(slots).toEqual(['active', 'active'])
  })

  it('refuses what can not be deployed, and says what to type', async () => {
    const queue = await openQueue()
    const empty = await queue.addProject({name: 'Empty'})
    await expect(queue.ask({projectId: empty.id})).rejects.toMatchObject({code: 'NOTHING_TO_DEPLOY', suggestions: [expect.stringContaining('projects update empty'), 'deploy .']})
    await expect(queue.ask({projectId: empty.id, kind: 'refresh'})).rejects.toMatchObject({code: 'NOTHING_DEPLOYED'})
    await expect(queue.ask({projectId: empty.id, kind: 'rollback', rollbackOf: 'dep_none'})).rejects.toMatchObject({code: 'RELEASE_GONE'})
    await expect(queue.ask({projectId: 'proj_none'})).rejects.toMatchObject({code: 'NOT_FOUND'})
    const going = await queue.addProject({name: 'Going', image: 'a'}, {deletionInProgress: true})
    await expect(queue.ask({projectId: going.id})).rejects.toMatchObject({code: 'PROJECT_DELETION_IN_PROGRESS'})
  })

  it('takes an upload of its own organization that was sent, and leaves the project as it was else', async () => {
    const queue = await openQueue()
    const project = await queue.addProject({name: 'Shop', sourceKind: 'upload'}, {uploadId: 'upl_own'})
    const at = '2026-01-01T00:00:00.000Z'
    const upload = {createdBy: 'usr_ada', name: 'shop', packageManager: null, stack: null, ticketHash: 'x', bytes: 1, files: 1, createdAt: at, expiresAt: at, receivedAt: at, organizationId}
    await queue.store.transaction(async (transaction) => {
      await transaction.insert(UploadSessions, {...upload, id: 'upl_new'})
      await transaction.insert(UploadSessions, {...upload, id: 'upl_waiting', receivedAt: null})
      await transaction.insert(UploadSessions, {...upload, id: 'upl_foreign', organizationId: 'org_other'})
    })
    for (const uploadId of ['upl_none', 'upl_waiting', 'upl_foreign']) await expect(queue.ask({projectId: project.id, uploadId})).rejects.toMatchObject({code: 'NOT_FOUND'})
    expect((await queue.store.get(Projects, project.id))?.uploadId).toBe('upl_own')
    expect((await queue.ask({projectId: project.id, uploadId: 'upl_new'})).deployment.request.uploadId).toBe('upl_new')
  })

  it('takes services by id or name, once each, and names those that are not there', async () => {
    const queue = await openQueue()
    const project = await queue.addProject({name: 'Shop'})
    const web = await queue.addService(project, {name: 'web', image: 'lab/web:1'})
    await queue.addService(project, {name: 'db', image: 'lab/base:1'})
    expect((await queue.ask({projectId: project.id, serviceIds: ['web', web.id]})).deployment.targetServiceIds).toEqual([web.id])
    expect((await queue.ask({projectId: project.id, serviceIds: []})).deployment.targetServiceIds).toBe(null)
    await expect(queue.ask({projectId: project.id, serviceIds: ['web', 'mail']})).rejects.toMatchObject({code: 'VALIDATION_ERROR', errors: [{path: '/serviceIds/1'}]})
  })

  it('tells a push that is deployed already, or on its way, by its commit', async () => {
    const queue = await openQueue()
    const project = await queue.addProject({name: 'Shop', gitUrl: 'https://example.test/shop.git'})
    const commitSha = 'a'.repeat(40)
    const first = await queue.ask({projectId: project.id, trigger: 'webhook', commitSha})
    expect(await queue.ask({projectId: project.id, trigger: 'webhook', commitSha: 'a'.repeat(8)})).toMatchObject({skipped: true, deployment: {id: first.deployment.id}})
    expect((await queue.ask({projectId: project.id, trigger: 'webhook', commitSha, forceAll: true})).skipped).toBe(false)
    expect((await queue.ask({projectId: project.id, commitSha})).skipped).toBe(false)
  })

  it('uses the wish to rebuild everything up with the deployment that it goes to', async () => {
    const queue = await openQueue()
    const project = await queue.addProject({...image, forceDeployNext: true})
    expect((await queue.ask({projectId: project.id})).deployment.forceAll).toBe(true)
    expect((await queue.ask({projectId: project.id})).deployment.forceAll).toBe(false)
    expect((await queue.store.get(Projects, project.id))?.forceDeployNext).toBe(false)
  })

  it('brings back only what is kept', async () => {
    const queue = await openQueue()
    const project = await queue.addProject(image)
    const {deployment} = await queue.ask({projectId: project.id})
    await queue.end(deployment.id, {status: 'ready', endReason: null, retained: true})
    await expect(queue.ask({projectId: project.id, kind: 'rollback', rollbackOf: deployment.id})).rejects.toMatchObject({code: 'RELEASE_GONE'})
    await queue.store.transaction((transaction) =>
      transaction.insert(Releases, {id: deployment.id, projectId: project.id, organizationId, serverId: null, composeText: '', model: '', files: '', texts: '', services: [], createdAt: deployment.createdAt}),
    )
    expect((await queue.ask({projectId: project.id, kind: 'rollback', rollbackOf: deployment.id})).deployment).toMatchObject({rollbackOf: deployment.id, request: {kind: 'rollback'}})
  })
})

describe('cancelling', () => {
  const parts = {clock: systemClock, recordEvent: createRecordEvent(systemClock)}

  it('ends one that waits at once, and only asks one that goes on', async () => {
    const queue = await openQueue()
    const project = await queue.addProject(image)
    const active = (await queue.ask({projectId: project.id})).deployment
    const waiting = (await queue.ask({projectId: project.id})).deployment
    const cancel = (id: string) => queue.store.transaction((transaction) => cancelDeployment(parts, transaction, id, ada))
    expect(await cancel(waiting.id)).toMatchObject({slot: null, status: 'cancelled', endReason: 'user'})
    expect(await cancel(active.id)).toMatchObject({slot: 'active', status: 'queued', request: {cancelRequestedBy: 'usr_ada'}})
    await expect(cancel(waiting.id)).rejects.toMatchObject({code: 'DEPLOYMENT_FINISHED'})
    const cancelled = (await queue.events()).filter(({type}) => type === 'deployment.cancelled')
    expect(cancelled.map(({actor, payload}) => [actor.userId, payload['deploymentId']])).toEqual([['usr_ada', waiting.id]])
  })

  it('frees the place of the one that ended for good', async () => {
    const queue = await openQueue()
    const project = await queue.addProject(image)
    const {deployment} = await queue.ask({projectId: project.id})
    await queue.end(deployment.id, {status: 'cancelled', endReason: 'user'})
    expect(await queue.store.findOne(Deployments, 'slot', [project.id, 'active'])).toBe(undefined)
    expect((await queue.ask({projectId: project.id})).deployment.slot).toBe('active')
  })
})
