import type {Actor} from '../../events/record.js'
import type {Clock} from '../../clock.js'
import type {Store} from '../../store/store.js'
import {cancelDeployment, type CancelParts} from '../deployments/cancel-deployment.js'
import {Deployments, type DeploymentRecord} from '../deployments/records.js'

export async function openDeployments(store: Pick<Store, 'findOne'>, projectId: string): Promise<DeploymentRecord[]> {
  // The one that waits first: it must not take the place of the other.
  const found = await Promise.all((['waiting', 'active'] as const).map((slot) => store.findOne(Deployments, 'slot', [projectId, slot])))
  return found.filter((deployment) => deployment !== undefined)
}

export interface CancelAll {
  readonly projectId: string
  readonly actor: Actor
  readonly waitMs: number
  readonly signal: AbortSignal
}

/** Cancels what is going on for a project and waits for its end; answers those that had not ended by then. */
export async function cancelDeployments(parts: CancelParts & {readonly store: Store; readonly clock: Clock}, {projectId, actor, waitMs, signal}: CancelAll): Promise<string[]> {
  const {store, clock} = parts
  await store.transaction(async (transaction) => {
    for (const {id} of await openDeployments(transaction, projectId)) await cancelDeployment(parts, transaction, id, actor)
  })
  const limit = new AbortController()
  const stopClock = clock.after(waitMs, () => limit.abort())
  const end = AbortSignal.any([signal, limit.signal])
  try {
    for (;;) {
      const changed = nextChange(store, end)
      const open = await openDeployments(store, projectId)
      if (open.length === 0 || end.aborted) return open.map(({id}) => id)
      await changed
    }
  } finally {
    stopClock()
    limit.abort()
  }
}

// Listens before it is looked, so that no change falls between.
function nextChange(store: Store, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      stop()
      signal.removeEventListener('abort', done)
      resolve()
    }
    const stop = store.onCommit((changed) => {
      if (changed.has(Deployments.name)) done()
    })
    signal.addEventListener('abort', done, {once: true})
    if (signal.aborted) done()
  })
}
