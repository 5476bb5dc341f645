import {EngineRefused} from './ask-engine.js'
import type {Engine} from './engine.js'

/** What depends on the way the engine is reached: the API where there is a connection, else single commands of its client. */
export type EngineCalls = Pick<Engine,
  'pull' | 'build' | 'image' | 'tag' | 'removeImage' | 'containers' | 'container' | 'usage' | 'start' | 'stop' | 'restart' | 'remove' |
  'volumes' | 'removeVolume' | 'networks' | 'createNetwork' | 'connect' | 'removeNetwork' | 'logs' | 'exec' | 'openSession' | 'events'>

/** What every call is made with. */
export interface CallParts {
  readonly serverId: string
  readonly serverName: string
}

/** Filters as the engine takes them. */
export function labelFilters(labels: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(labels).map(([name, value]) => `${name}=${value}`)
}

/** Waits for what makes something; it may be there already. */
export async function unlessThere(call: Promise<unknown>): Promise<void> {
  try {
    await call
  } catch (error) {
    if (!(error instanceof EngineRefused) || !/already exists/i.test(error.message)) throw error
  }
}

const atOnce = 6

/** Maps with a few calls under way at a time; the order stays. */
export async function mapSome<T, R>(items: readonly T[], map: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  let next = 0
  const work = async () => {
    for (let index = next++; index < items.length; index = next++) results[index] = await map(items[index] as T)
  }
  await Promise.all(Array.from({length: Math.min(atOnce, items.length)}, work))
  return results
}
