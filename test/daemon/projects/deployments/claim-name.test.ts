import {describe, expect, it} from 'vitest'
import {claimName, releaseName} from '../../../../daemon/projects/deployments/claim-name.js'
import {Projects, type ProjectRecord} from '../../../../daemon/projects/records.js'
import {openQueue} from './queue-fixture.js'

describe('the name of a project on its server', () => {
  it('is one project’s, of two that ask at one instant', async () => {
    const {store, addProject} = await openQueue()
    const [ours, theirs] = [await addProject({name: 'Shop'}), await addProject({name: 'Shop'}, {organizationId: 'org_other'})]
    const claim = (project: ProjectRecord) => store.transaction((transaction) => claimName(transaction, project))
    expect(await Promise.all([claim(ours), claim(theirs)])).toEqual([undefined, ours.id])
    expect(await claim(ours)).toBeUndefined()
    expect(await claim({...theirs, serverId: 'srv_1'})).toBeUndefined()
    await store.transaction((transaction) => releaseName(transaction, theirs, null))
    expect(await claim(theirs)).toBe(ours.id)
    await store.transaction((transaction) => releaseName(transaction, ours, null))
    expect(await claim(theirs)).toBeUndefined()
  })

  it('is free again when its project is gone, and when a first deployment comes to nothing', async () => {
    const {store, addProject, ask, end} = await openQueue()
    const [ours, theirs] = [await addProject({name: 'Shop', image: 'lab/web:1'}), await addProject({name: 'Shop'}, {organizationId: 'org_other'})]
    const claim = (project: ProjectRecord) => store.transaction((transaction) => claimName(transaction, project))
    const {deployment: first} = await ask({projectId: ours.id})
    await claim(ours)
    const {deployment: second} = await ask({projectId: ours.id})
    await end(second.id, {status: 'cancelled', endReason: 'superseded'})
    expect(await claim(theirs)).toBe(ours.id)
    await end(first.id, {status: 'failed', endReason: 'build'})
    expect(await claim(theirs)).toBeUndefined()
    expect(await claim(ours)).toBe(theirs.id)
    await store.transaction((transaction) => transaction.delete(Projects, theirs.id))
    expect(await claim(ours)).toBeUndefined()
  })

  it('stays with a project that is served there', async () => {
    const {store, addProject, ask, end} = await openQueue()
    const ours = await addProject({name: 'Shop', image: 'lab/web:1'})
    await store.transaction((transaction) => claimName(transaction, ours))
    const {deployment: live} = await ask({projectId: ours.id})
    await end(live.id, {status: 'ready', endReason: null, version: 1})
    await store.transaction(async (transaction) => transaction.put(Projects, {...ours, activeDeploymentId: live.id}))
    const {deployment: failing} = await ask({projectId: ours.id})
    await end(failing.id, {status: 'failed', endReason: 'build'})
    const theirs = await addProject({name: 'Shop'}, {organizationId: 'org_other'})
    expect(await store.transaction((transaction) => claimName(transaction, theirs))).toBe(ours.id)
  })
})
