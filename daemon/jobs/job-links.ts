import type {Store} from '../store/store.js'
import {Jobs} from './records.js'

interface Links {
  readonly dependents: ReadonlyMap<string, readonly string[]>
  readonly armed: ReadonlyMap<string, readonly string[]>
}

/** Which jobs wait for another job or for an event. Read from all jobs, again only after one changed. */
export class JobLinks {
  readonly #store: Store
  #links: Promise<Links> | undefined

  constructor(store: Store) {
    this.#store = store
  }

  /** Keys of the jobs that depend on a job. */
  async dependentsOf(jobKey: string): Promise<readonly string[]> {
    return (await this.#read()).dependents.get(jobKey) ?? []
  }

  /** Keys of the jobs of an organization that start on an event. */
  async armedFor(organizationId: string, eventType: string): Promise<readonly string[]> {
    return (await this.#read()).armed.get(toArmedKey(organizationId, eventType)) ?? []
  }

  /** To be told when a job was made, changed or deleted. Not on every commit: each fire is one, and the scan reads all jobs. */
  jobChanged(): void {
    this.#links = undefined
  }

  #read(): Promise<Links> {
    this.#links ??= this.#scan().catch((error: unknown) => {
      this.#links = undefined
      throw error
    })
    return this.#links
  }

  async #scan(): Promise<Links> {
    const dependents = new Map<string, string[]>()
    const armed = new Map<string, string[]>()
    for await (const job of this.#store.all(Jobs)) {
      if (job.kind !== 'custom') continue
      for (const key of job.dependsOn) push(dependents, key, job.key)
      for (const type of job.triggerEvents) push(armed, toArmedKey(job.organizationId ?? '', type), job.key)
    }
    return {dependents, armed}
  }
}

function push(map: Map<string, string[]>, key: string, value: string): void {
  const list = map.get(key)
  if (list === undefined) map.set(key, [value])
  else list.push(value)
}

function toArmedKey(organizationId: string, eventType: string): string {
  return `${organizationId} ${eventType}`
}
