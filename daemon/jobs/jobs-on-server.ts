import type {StoreReader} from '../store/store.js'
import {Jobs, Runs} from './records.js'

/** Jobs that name a server, and runs that are still going on there: what the end of the server would touch. */
export async function findJobsOnServer(reader: StoreReader, server: {readonly id: string; readonly organizationId: string}) {
  const [jobs, active] = await Promise.all([
    reader.find(Jobs, 'organization', [server.organizationId]),
    reader.find(Runs, 'activity', [true]),
  ])
  return {
    jobs: jobs.filter((job) => job.serverIds.includes(server.id)).map(({key, label}) => ({key, label})),
    activeRuns: active.filter((run) => run.serverIds.includes(server.id)).map((run) => run.id),
  }
}
