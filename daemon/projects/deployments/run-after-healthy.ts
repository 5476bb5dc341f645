import type {ContainerFacts, Engine} from '../../servers/engine/engine.js'
import type {OutputLevel} from '../../store/output.js'
import type {ProjectRecord} from '../records.js'
import type {DeploymentRecord} from './records.js'

export interface HealthyContext {
  readonly project: ProjectRecord
  readonly deployment: DeploymentRecord
  readonly engine: Engine
  /** By the id of the service; of services that may end, what is left of them. */
  readonly containers: ReadonlyMap<string, ContainerFacts>
  /** A line for the log of the deployment. */
  readonly note: (line: string, level?: OutputLevel) => void
  /** A text as the log would show it, secrets masked. */
  readonly masked: (text: string) => string
  /** From now on what was stored as a secret meanwhile is masked, too. */
  readonly refreshSecrets: () => Promise<void>
  readonly signal: AbortSignal
}

/** What is done when all services are up and before the release is live; a failure brings the release before back. Safe to be done again. */
export type AfterHealthy = (context: HealthyContext) => Promise<void>

export const nothingAfterHealthy: AfterHealthy = async () => undefined
