import type {JobRecord} from '../records.js'

export type LinkedJob = Pick<JobRecord, 'key' | 'dependsOn' | 'onFailure'>

/** The way from a job back to itself along "starts": the end of a prerequisite starts its dependents, a failure the jobs it names. */
export function findLoop(jobs: Iterable<LinkedJob>, fromKey: string): string[] | undefined {
  const starts = toStarts(jobs)
  const cameFrom = new Map<string, string>()
  const open = [fromKey]
  for (let key = open.pop(); key !== undefined; key = open.pop()) {
    for (const next of starts.get(key) ?? []) {
      if (next === fromKey) return toPath(cameFrom, fromKey, key)
      if (cameFrom.has(next)) continue
      cameFrom.set(next, key)
      open.push(next)
    }
  }
  return undefined
}

function toStarts(jobs: Iterable<LinkedJob>): Map<string, string[]> {
  const starts = new Map<string, string[]>()
  const add = (from: string, to: string) => {
    const known = starts.get(from)
    if (known === undefined) starts.set(from, [to])
    else known.push(to)
  }
  for (const job of jobs) {
    for (const key of job.dependsOn) add(key, job.key)
    for (const key of job.onFailure) add(job.key, key)
  }
  return starts
}

function toPath(cameFrom: ReadonlyMap<string, string>, fromKey: string, lastKey: string): string[] {
  const path = [fromKey]
  for (let key: string | undefined = lastKey; key !== undefined && key !== fromKey; key = cameFrom.get(key)) path.push(key)
  return [fromKey, ...path.reverse()]
}

/** Whether one of these jobs waits for another, or starts when it fails. */
export function findUsers(jobs: Iterable<LinkedJob>, key: string): LinkedJob[] {
  return [...jobs].filter((job) => job.key !== key && (job.dependsOn.includes(key) || job.onFailure.includes(key)))
}
