import type {z} from 'zod'
import type {DeploymentEvent} from '../../../src/contract/deployments.js'
import type {DeploymentRecord} from './records.js'

type Phase = Extract<z.input<typeof DeploymentEvent>, {type: 'install-phase'}>

const labels = {images: 'fetch and build images', services: 'start services', 'app-setup': 'set the app up', ready: 'ready'} as const

/** How far an installed app is, in the words of an install; nothing for other deployments. */
export function installPhasesOf(record: DeploymentRecord): Phase[] {
  if (record.trigger !== 'app') return []
  const stepOf = (name: string) => record.steps.find(({step}) => step === name)?.status ?? 'pending'
  const isLive = record.status === 'ready' || record.status === 'no_changes'
  const ended = record.slot === null
  const images = phaseStatus([stepOf('install'), stepOf('build')])
  const services = record.stage === 'after-up' || isLive ? 'done' : phaseStatus([stepOf('deploy')])
  const setup = isLive ? 'done' : record.stage === 'after-up' ? (ended ? 'failed' : 'active') : ended ? 'skipped' : 'pending'
  const phase = (id: Phase['id'], status: Phase['status']): Phase => ({type: 'install-phase', id, status, label: labels[id]})
  return [phase('images', images), phase('services', services), phase('app-setup', setup), phase('ready', isLive ? 'done' : ended ? 'failed' : 'pending')]
}

function phaseStatus(steps: readonly DeploymentRecord['steps'][number]['status'][]): Phase['status'] {
  if (steps.includes('failed')) return 'failed'
  if (steps.includes('running')) return 'active'
  if (steps.every((status) => status === 'skipped')) return 'skipped'
  return steps.includes('pending') ? (steps.every((status) => status === 'pending') ? 'pending' : 'active') : 'done'
}
