import {Fault} from '../contract/faults.js'

/**
 * Calls with the key of the job that people mean. A name is the key of a custom job without its first part; a few system jobs have keys
 * that look like names, so those are tried next.
 */
export async function withJobKey<T>(name: string, call: (key: string) => Promise<T>): Promise<T> {
  const keys = name.includes(':') ? [name] : [`custom:${name}`, name]
  for (const key of keys) {
    try {
      return await call(key)
    } catch (error) {
      if (!(error instanceof Fault) || error.code !== 'NOT_FOUND') throw error
    }
  }
  throw new Fault('NOT_FOUND', `no job ${name}`, {details: {job: name}, suggestions: ['jobs list']})
}

/** The key of a job that another one names: a bare name is one of a custom job. */
export function toJobKey(name: string): string {
  return name.includes(':') ? name : `custom:${name}`
}
