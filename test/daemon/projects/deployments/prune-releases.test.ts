import {expect, it} from 'vitest'
import {pruneReleases} from '../../../../daemon/projects/deployments/prune-releases.js'
import {Deployments, Releases} from '../../../../daemon/projects/deployments/records.js'
import {sealRelease} from '../../../../daemon/projects/deployments/release-book.js'
import {Projects} from '../../../../daemon/projects/records.js'
import type {Engine, Engines} from '../../../../daemon/servers/engine/engine.js'
import {idle} from '../sources/tar-entries.js'
import {openQueue, quietLog} from './queue-fixture.js'

it('lets go of releases beyond the window, but not of one that somebody asked to be brought back', async () => {
  const queue = await openQueue()
  const project = await queue.addProject({name: 'Shop', image: 'a:1', rollbackWindow: 1})
  const ids: string[] = []
  for (let day = 1; day <= 4; day += 1) {
    const {deployment} = await queue.ask({projectId: project.id})
    await queue.end(deployment.id, {status: 'ready', endReason: null, retained: true})
    const model = {projectId: project.id, slug: project.slug, loopback: false, services: [], volumes: [], networks: []}
    await queue.store.transaction(async (transaction) => {
      await transaction.put(Deployments, {...(await queue.deployment(deployment.id)), createdAt: `2026-01-0${day}T00:00:00.000Z`})
      await transaction.insert(Releases, sealRelease(queue.sealer, {id: deployment.id, projectId: project.id, organizationId: project.organizationId, serverId: null, services: [], createdAt: '', composeText: '', model, files: {}, texts: {}}))
    })
    ids.push(deployment.id)
  }
  const [first = '', second = '', third = '', served = ''] = ids
  await queue.store.transaction((transaction) => transaction.put(Projects, {...project, activeDeploymentId: served}))
  const going = (await queue.ask({projectId: project.id})).deployment
  await queue.ask({projectId: project.id, kind: 'rollback', rollbackOf: first})
  const engine = {facts: async () => ({folder: '/srv'}), removeFolder: async () => undefined, removeImage: async () => undefined} as unknown as Engine
  const engines = {engineFor: async () => engine} as unknown as Engines
  const prune = () => pruneReleases({store: queue.store, sealer: queue.sealer, log: quietLog, engines}, project, idle)
  const kept = async () => (await queue.store.find(Releases, 'project', [project.id])).map(({id}) => id).sort()
  await prune()
  expect(await kept()).toEqual([first, third, served].sort())
  expect((await queue.deployment(second)).retained).toBe(false)
  await queue.end(going.id, {status: 'failed', endReason: 'build'})
  await prune()
  expect(await kept()).toContain(first)
})
