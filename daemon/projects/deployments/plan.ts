import type {ComposeNetwork, ComposeService, ComposeVolume} from '../../../src/compose/compose-model.js'
import type {ReleasedService} from '../../../src/compose/release.js'
import type {ServiceOutcome} from '../../../src/contract/deployments.js'
import type {SourceTree} from '../sources/source.js'
import type {PreparedImage, ReleaseService} from './records.js'
import type {OpenRelease, ReleaseFiles, ReleaseTexts} from './release-book.js'

/** A service as it is in a release: how it was written, and with which image. */
export interface KeptService {
  readonly released: ReleasedService
  readonly release: ReleaseService
}

export interface PlannedService {
  readonly serviceId: string
  readonly name: string
  readonly reason: ServiceOutcome['reason']
  /** How it shall be; null is carried forward as it is. */
  readonly definition: ComposeService | null
  /** Paths on the server, by the path in the container. */
  readonly hostPaths: Readonly<Record<string, string>>
  /** How it is in the release that is served. */
  readonly previous: KeptService | null
  /** Its container is made anew even where nothing differs. */
  readonly mustChange: boolean
  /** Its image is built even where the context is the same. */
  readonly mustBuild: boolean
  /** The image that it shall have without asking a registry or building one: of a rollback or refresh. */
  readonly image: PreparedImage | null
}

/** What a deployment is going to do, before it does anything. */
export interface DeploymentPlan {
  readonly services: readonly PlannedService[]
  readonly volumes: readonly ComposeVolume[]
  readonly networks: readonly ComposeNetwork[]
  readonly files: ReleaseFiles
  readonly texts: ReleaseTexts
  /** Where images are built from. */
  readonly tree: SourceTree | null
  /** The port of a project of one service, published as the project says and not as a file does. */
  readonly ownPort?: number | undefined
}

/** The services of a release by the id that they have here. */
export function keptServices(release: OpenRelease | null): ReadonlyMap<string, KeptService> {
  const kept = new Map<string, KeptService>()
  for (const service of release?.services ?? []) {
    const released = release?.model.services.find(({serviceId}) => serviceId === service.serviceId)
    if (released !== undefined) kept.set(service.serviceId, {released, release: service})
  }
  return kept
}

/** How the services of a release are going to be: those that are carried forward as they are served. */
export function toDefinitions(services: readonly PlannedService[]): ComposeService[] {
  return services.map(({definition, previous}) => definition ?? previous?.released.service).filter((service) => service !== undefined)
}
