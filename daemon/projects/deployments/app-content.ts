import type {ProjectRecord} from '../records.js'

/** A file that a container of an installed app sees. */
export interface AppFile {
  readonly service: string
  /** Inside the container. */
  readonly path: string
  /** May hold {{publicUrl:…}}. */
  readonly content: string
  readonly isSecret: boolean
}

/** What an installed app is deployed from beside its services: nothing of it lies in a repository. */
export interface AppContent {
  readonly files: readonly AppFile[]
  /** The build context that its services share: path to content. */
  readonly buildFiles: Readonly<Record<string, string>>
  /** By service: names that its Dockerfile takes from the environment. */
  readonly buildArguments: Readonly<Record<string, readonly string[]>>
  /** For the log of the deployment. */
  readonly warnings: readonly string[]
}

/** Null for a project that was not made from an app. Completes what an interrupted install left out. */
export type ReadAppContent = (project: ProjectRecord) => Promise<AppContent | null>

export const noAppContent: ReadAppContent = async () => null
