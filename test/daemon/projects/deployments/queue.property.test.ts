import fc from 'fast-check'
import {expect, it} from 'vitest'
import {systemClock} from '../../../../daemon/clock.js'
import {createRecordEvent} from '../../../../daemon/events/event-log.js'
import {cancelDeployment} from '../../../../daemon/projects/deployments/cancel-deployment.js'
import {Deployments, type DeploymentRecord} from '../../../../daemon/projects/deployments/records.js'
import {ada, openQueue, type QueueFixture} from './queue-fixture.js'

type Act =
  | {readonly do: 'ask'; readonly project: number}
  | {readonly do: 'cancel'; readonly which: number}
  | {readonly do: 'finish'; readonly project: number; readonly status: 'ready' | 'failed'}

const projects = [0, 1] as const
const project = fc.constantFrom(...projects)
const act: fc.Arbitrary<Act> = fc.oneof(
  {weight: 5, arbitrary: fc.record({do: fc.constant('ask' as const), project})},
  {weight: 3, arbitrary: fc.record({do: fc.constant('cancel' as const), which: fc.nat({max: 8})})},
  {weight: 3, arbitrary: fc.record({do: fc.constant('finish' as const), project, status: fc.constantFrom('ready' as const, 'failed' as const)})},
)
/** What is in one list comes at the same instant. */
const story = fc.array(fc.array(act, {minLength: 1, maxLength: 4}), {minLength: 1, maxLength: 8})

const parts = {clock: systemClock, recordEvent: createRecordEvent(systemClock)}
const endTypes = new Set(['deployment.succeeded', 'deployment.failed', 'deployment.cancelled'])

class Told {
  readonly asked: string[] = []
  readonly ended = new Map<string, DeploymentRecord>()

  constructor(private readonly queue: QueueFixture, private readonly projectIds: readonly string[]) {}

  async act(acting: Act): Promise<void> {
    const {store, ask} = this.queue
    if (acting.do === 'ask') {
      this.asked.push((await ask({projectId: this.projectIds[acting.project] ?? ''})).deployment.id)
      return
    }
    if (acting.do === 'finish') return this.finish(acting.project, acting.status)
    const id = this.asked[acting.which]
    if (id === undefined) return
    // One that has ended can not be cancelled; which one that is may change at any moment.
    await store.transaction((transaction) => cancelDeployment(parts, transaction, id, ada)).catch((error: unknown) => expect(error).toMatchObject({code: 'DEPLOYMENT_FINISHED'}))
  }

  /** What the executor does: the active one ends, as cancelled where somebody wished so. */
  async finish(index: number, status: 'ready' | 'failed'): Promise<void> {
    const active = await this.queue.store.findOne(Deployments, 'slot', [this.projectIds[index] ?? '', 'active'])
    if (active === undefined) return
    const isUnwanted = active.request.cancelRequestedBy !== null
    await this.queue.end(active.id, isUnwanted ? {status: 'cancelled', endReason: 'user'} : {status, endReason: null})
  }

  async check(): Promise<void> {
    for (const projectId of this.projectIds) {
      const records = await this.queue.store.find(Deployments, 'project', [projectId])
      const slots = (slot: string) => records.filter((record) => record.slot === slot).length
      expect([slots('active') <= 1, slots('waiting') <= 1, slots('waiting') <= slots('active')]).toEqual([true, true, true])
      for (const record of records) {
        const isOver = record.finishedAt !== null
        expect(isOver).toBe(record.slot === null)
        if (!isOver) continue
        // What has ended never changes any more.
        expect(record).toEqual(this.ended.get(record.id) ?? record)
        this.ended.set(record.id, record)
      }
    }
    const stored = await Promise.all(this.asked.map((id) => this.queue.store.get(Deployments, id)))
    expect(stored.every((record) => record !== undefined)).toBe(true)
  }
}

it('whatever is asked for, cancelled and finished: never two go on in a project, none is lost, and each ends once', async () => {
  const queue = await openQueue()
  let count = 0
  await fc.assert(
    fc.asyncProperty(story, async (moments) => {
      const ids = await Promise.all(projects.map(async (index) => (await queue.addProject({name: `Shop ${count++} ${index}`, image: 'lab/web:1'})).id))
      const told = new Told(queue, ids)
      for (const moment of moments) {
        // Ends come from one executor; everything else from anybody at any time.
        const finishing = moment.filter((each) => each.do === 'finish').slice(0, 1)
        await Promise.all([...moment.filter((each) => each.do !== 'finish'), ...finishing].map((each) => told.act(each)))
        await told.check()
      }
      const newest = await Promise.all(ids.map((id) => Promise.all([queue.store.findOne(Deployments, 'slot', [id, 'waiting']), queue.store.findOne(Deployments, 'slot', [id, 'active'])])))
      for (const index of projects) for (let turn = 0; turn < 2; turn += 1) await told.finish(index, 'ready')
      await told.check()
      // Whoever waited last has had its turn.
      for (const [waiting, active] of newest) for (const record of [waiting, active]) if (record !== undefined) expect(told.ended.get(record.id)?.endReason).not.toBe('superseded')
      expect(told.ended.size).toBe(told.asked.length)
      const ends = (await queue.events()).filter(({type, payload}) => endTypes.has(type) && told.ended.has(String(payload['deploymentId'])))
      expect(ends.map(({payload}) => String(payload['deploymentId'])).sort()).toEqual([...told.asked].sort())
    }),
    {numRuns: 150},
  )
}, 60_000)
