import type {z} from 'zod'
import type {DeploymentEvent} from '../../../src/contract/deployments.js'
import type {DeploymentRecord} from './records.js'

type Phase = Extract<z.input<typeof DeploymentEvent>, {type: 'install-phase'}>
type PhasedRecord = Pick<DeploymentRecord, 'app' | 'steps' | 'status' | 'slot' | 'stage'>

const labels = {images: 'build images', services: 'start services', 'app-setup': 'set the app up', ready: 'ready'} as const

/** How far an installed app is, in the words of an install; nothing for other deployments. */
export function installPhasesOf(record: PhasedRecord): Phase[] {
  if (record.app === null) return []
  const ids = ['images', 'services', ...(record.app.hasSetup ? ['app-setup' as const] : []), 'ready'] as const
  const statuses = {images: imagesOf(record), services: servicesOf(record), 'app-setup': setupOf(record), ready: readyOf(record)}
  return ids.map((id) => ({type: 'install-phase', id, status: statuses[id], label: labels[id]}))
}

type Status = Phase['status']

const endedAs = {pending: 'pending', running: 'active', completed: 'done', skipped: 'skipped', failed: 'failed'} as const satisfies Record<DeploymentRecord['steps'][number]['status'], Status>

function stepOf({steps}: PhasedRecord, name: string): Status {
  return endedAs[steps.find(({step}) => step === name)?.status ?? 'pending']
}

function isLive({status}: PhasedRecord): boolean {
  return status === 'ready' || status === 'no_changes'
}

// Images that are pulled belong to the start of their services.
function imagesOf(record: PhasedRecord): Status {
  const [pulled, built] = [stepOf(record, 'install'), stepOf(record, 'build')]
  return built === 'pending' && (pulled === 'active' || pulled === 'done') ? 'active' : built
}

function servicesOf(record: PhasedRecord): Status {
  if (isLive(record) || record.stage === 'after-up') return 'done'
  const [pulled, built, deployed] = [stepOf(record, 'install'), stepOf(record, 'build'), stepOf(record, 'deploy')]
  if (deployed !== 'pending' && deployed !== 'skipped') return deployed
  if (record.slot === null) return built === 'failed' ? 'skipped' : 'failed'
  return built === 'skipped' && pulled !== 'pending' ? 'active' : 'pending'
}

function setupOf(record: PhasedRecord): Status {
  if (isLive(record)) return 'done'
  const isThere = record.stage === 'after-up'
  if (record.slot !== null) return isThere ? 'active' : 'pending'
  return isThere ? 'failed' : 'skipped'
}

function readyOf(record: PhasedRecord): Status {
  if (isLive(record)) return 'done'
  return record.slot === null ? 'failed' : 'pending'
}
