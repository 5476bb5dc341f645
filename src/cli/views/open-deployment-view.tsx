import type {Deployment, DeploymentEvent} from '../../contract/deployments.js'
import type {Io} from '../io.js'
import {DeploymentView} from './deployment-view.js'
import {advance, startState} from './deployment-view-state.js'
import {openView} from './open-view.js'

export interface DeploymentViewWish {
  readonly io: Io
  readonly colour: boolean
  readonly hint: string
  readonly deployment: Deployment
}

export interface OpenDeploymentView {
  take(event: DeploymentEvent): void
  /** Leaves the last picture on the terminal and gives it back. */
  end(): Promise<void>
}

export function openDeploymentView({io, colour, hint, deployment}: DeploymentViewWish): OpenDeploymentView {
  let state = startState(deployment)
  const view = openView(io, (isLast) => <DeploymentView state={state} nowMs={io.now()} colour={colour} hint={isLast ? undefined : hint} />)
  return {
    take(event) {
      state = advance(state, event)
    },
    end: () => view.end(),
  }
}
