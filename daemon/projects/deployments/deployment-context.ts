import type {Engine, EngineFacts, RegistryLogin} from '../../servers/engine/engine.js'
import type {ProjectRecord} from '../records.js'
import type {DeploymentBook} from './deployment-book.js'
import type {DeploymentLog} from './deployment-log.js'
import type {DeploymentRecord} from './records.js'
import type {OpenRelease} from './release-book.js'

/** What every step of one deployment works with. */
export interface DeploymentContext {
  readonly deployment: DeploymentRecord
  readonly project: ProjectRecord
  readonly engine: Engine
  readonly facts: EngineFacts
  readonly book: DeploymentBook
  readonly log: DeploymentLog
  /** The release that is served on this server; null where there is none. */
  readonly active: OpenRelease | null
  /** That the organization keeps for registries. */
  readonly logins: readonly RegistryLogin[]
  readonly signal: AbortSignal
}
