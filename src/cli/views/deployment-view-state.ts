import type {Deployment, DeploymentEvent, ServiceOutcome} from '../../contract/deployments.js'
import {deploymentLine} from '../deployment-text.js'

type Steps = Deployment['steps']

/** What a view of a deployment shows. */
export interface DeploymentViewState {
  readonly id: string
  readonly projectName: string
  readonly status: Deployment['status']
  readonly startedAt: string | null
  readonly finishedAt: string | null
  readonly error: string | null
  readonly steps: Steps
  readonly progress: number
  readonly services: readonly {readonly id: string; readonly name: string; readonly status: string; readonly error: string | null}[]
  readonly tail: readonly string[]
  readonly lineCount: number
}

export const shownLines = 12

export function startState(deployment: Deployment): DeploymentViewState {
  return {...fromDeployment(deployment), progress: 0, tail: [], lineCount: 0}
}

/** The state after what has just come. */
export function advance(state: DeploymentViewState, event: DeploymentEvent): DeploymentViewState {
  switch (event.type) {
    case 'snapshot':
      return {...state, ...fromDeployment(event.deployment)}
    case 'log':
      return {...withStep(state, event.step), tail: [...state.tail, deploymentLine(event, true)].slice(-shownLines), lineCount: state.lineCount + 1}
    case 'progress':
      return {...state, progress: event.progress, steps: state.steps.map((step, index) => atStep(step, index + 1, event.currentStep))}
    case 'service-status': {
      const service = {id: event.serviceId, name: event.serviceName, status: event.status, error: event.error ?? null}
      const others = state.services.filter(({id}) => id !== event.serviceId)
      return {...state, services: [...others, service].sort((a, b) => (a.name < b.name ? -1 : 1))}
    }
    case 'complete':
      return {...state, status: event.status, error: event.success ? null : (event.message ?? null)}
    case 'install-phase':
    case 'cancelled':
    case 'end':
      return state
  }
}

// The lines come as they are written; how far it is, only when that was stored.
function withStep(state: DeploymentViewState, name: string | undefined): DeploymentViewState {
  const at = state.steps.findIndex(({step}) => step === name)
  return at === -1 ? state : {...state, steps: state.steps.map((step, index) => atStep(step, index, at))}
}

function atStep(step: Steps[number], index: number, current: number): Steps[number] {
  if (step.status !== 'pending' && step.status !== 'running') return step
  return index < current ? {...step, status: 'completed'} : index === current ? {...step, status: 'running'} : step
}

const shownStatus: Partial<Record<ServiceOutcome['status'], string>> = {success: 'running', failure: 'failed'}

function fromDeployment(deployment: Deployment) {
  const {id, projectName, status, startedAt, finishedAt, errorMessage, steps, services = []} = deployment
  return {
    id, projectName, status, startedAt, finishedAt, error: errorMessage, steps,
    services: services.map(({serviceId, serviceName, status: outcome, errorMessage: error}) => ({id: serviceId, name: serviceName, status: shownStatus[outcome] ?? outcome, error})),
  }
}
