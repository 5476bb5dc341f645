import {Fault, type FaultCode} from '../../../src/contract/faults.js'
import type {EndStatus} from './end-deployment.js'

export type FailureReason = 'source' | 'build' | 'ports' | 'volumes' | 'start' | 'setup' | 'unhealthy' | 'unreachable' | 'disk' | 'interrupted' | 'internal'

export interface FailureOptions {
  readonly service?: string | undefined
  readonly code?: FaultCode
  readonly details?: Readonly<Record<string, unknown>>
  readonly cause?: unknown
}

/** Why a deployment does not go live, in words for whoever asked for it. */
export class DeploymentFailure extends Error {
  override readonly name = 'DeploymentFailure'
  readonly reason: FailureReason
  readonly service: string | undefined
  readonly code: FaultCode
  readonly details: Readonly<Record<string, unknown>>

  constructor(reason: FailureReason, message: string, {service, code, details, cause}: FailureOptions = {}) {
    super(message, cause === undefined ? undefined : {cause})
    this.reason = reason
    this.service = service
    this.code = code ?? 'DEPLOYMENT_FAILED'
    this.details = {...details, ...(service !== undefined && {service})}
  }
}

const reasons: Partial<Record<FaultCode, FailureReason>> = {
  SOURCE_UNAVAILABLE: 'source',
  COMPOSE_INVALID: 'source',
  UPLOAD_REFUSED: 'source',
  NOTHING_TO_DEPLOY: 'source',
  SERVICE_INVALID: 'source',
  DEFINITION_INVALID: 'source',
  RELEASE_GONE: 'source',
  CONFLICT: 'start',
  NOTHING_DEPLOYED: 'source',
  PORT_IN_USE: 'ports',
  SERVER_UNREACHABLE: 'unreachable',
  ENGINE_UNAVAILABLE: 'unreachable',
  HOST_KEY_CHANGED: 'unreachable',
}

/** Any error as the failure that people are told. What nobody foresaw stays in the log of the daemon. */
export function toFailure(error: unknown): DeploymentFailure {
  if (error instanceof DeploymentFailure) return error
  if (!(error instanceof Fault)) return new DeploymentFailure('internal', 'something went wrong in the daemon; its log has the deployment id', {code: 'INTERNAL', cause: error})
  if (isDiskFault(error)) return new DeploymentFailure('disk', `the disk of the server is full: ${error.message}`, {code: error.code, details: error.details, cause: error})
  return new DeploymentFailure(reasons[error.code] ?? 'internal', error.message, {code: error.code, details: error.details, cause: error})
}

/** Whether the disk of a server had no room. */
export function isDiskFault({details, message}: Fault): boolean {
  return details['reason'] === 'disk_full' || isDiskFull(message)
}

/** Engines and tools tell it in words only. */
export function isDiskFull(text: string): boolean {
  return /no space left on device|disk quota exceeded|ENOSPC/i.test(text)
}

/** Whether the server did not answer, so that nothing can be said of what is there. */
export function isUnreachable(error: unknown): boolean {
  return (error instanceof Fault && (error.code === 'SERVER_UNREACHABLE' || error.code === 'ENGINE_UNAVAILABLE')) || (error instanceof DeploymentFailure && error.reason === 'unreachable')
}

/** A taken port can be freed or changed by the person, and volumes used or wiped; everything else is plain failure. */
export function statusOf({code}: DeploymentFailure): Extract<EndStatus, 'failed' | 'action_required'> {
  return code === 'PORT_IN_USE' || code === 'OLD_VOLUMES' ? 'action_required' : 'failed'
}
