import {DeploymentStep} from '../../../src/contract/deployments.js'

/** What a line belongs to, as stored output has it in the place of the server. */
export function toSourceTag(step: DeploymentStep, service: string | undefined): string {
  return service === undefined ? step : `${step}/${service}`
}

export interface LogSource {
  readonly step?: DeploymentStep
  readonly serviceName?: string
}

export function parseSourceTag(tag: string | null): LogSource {
  const [first = '', ...rest] = (tag ?? '').split('/')
  const step = DeploymentStep.safeParse(first)
  return {...(step.success && {step: step.data}), ...(rest.length > 0 && {serviceName: rest.join('/')})}
}
