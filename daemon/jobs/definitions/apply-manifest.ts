import {Fault} from '../../../src/contract/faults.js'
import type {Transaction} from '../../store/store.js'
import {insertJob, removeJob, storeChange, type Caller, type ChangeParts} from './change-job.js'
import {planManifest, type Manifest, type PlannedChange} from './plan-manifest.js'

/** Makes the jobs of a file so, all or nothing. Answers what was changed. */
export async function applyManifest(parts: ChangeParts, transaction: Transaction, manifest: Manifest, {principal, actor}: Caller): Promise<PlannedChange[]> {
  const planned = await planManifest(parts, transaction, manifest, principal)
  const conflicts = planned.filter(({change}) => change.action === 'conflict').map(({change}) => change.name)
  if (conflicts.length > 0) {
    const names = conflicts.slice(0, 5).join(', ')
    throw new Fault('JOB_CONFLICT', `${names}: made otherwise than by the job file ${manifest.manifest}; adopt or rename`, {details: {jobs: conflicts}})
  }
  // Deletions first, so that what they free can be taken.
  for (const {change, before} of planned) if (change.action === 'delete' && before !== undefined) await removeJob(parts, transaction, before, actor)
  for (const {change, before, after} of planned) {
    if (change.action === 'create' && after !== undefined) await insertJob(parts, transaction, after, actor)
    if (change.action === 'update' && before !== undefined && after !== undefined) await storeChange(parts, transaction, {before, after}, actor)
  }
  return planned
}
