import type {EngineFacts} from '../../servers/engine/engine.js'
import {toProjectName} from '../../../src/compose/release.js'
import type {ProjectRecord} from '../records.js'

type Slugged = Pick<ProjectRecord, 'slug'>
type Foldered = Pick<EngineFacts, 'folder'>

/** Where everything of a project lies on its server. */
export function projectFolder({folder}: Foldered, {slug}: Slugged): string {
  return `${folder}/${slug}`
}

/** The Compose file of the release that is served. */
export function servedFile(facts: Foldered, project: Slugged): string {
  return `${projectFolder(facts, project)}/compose.yml`
}

export function releaseFolder(facts: Foldered, project: Slugged, deploymentId: string): string {
  return `${projectFolder(facts, project)}/releases/${deploymentId}`
}

/** In the folder of a project: what its services keep in folders that the source does not have. */
export const dataFolderName = 'data'

/** The tag that keeps the image of a service as it was in a deployment. */
export function keptTag({slug}: Slugged, serviceName: string, deploymentId: string): string {
  // Repository names are lower case; tags may hold what ids hold.
  const name = `${slug}-${serviceName}`.toLowerCase().replaceAll(/[^a-z0-9-]+/g, '-').replaceAll(/^-+|-+$/g, '')
  return `moorage/${name}:${deploymentId}`
}

/** Arguments that both Compose programs take for the served file of a project; to be run in its folder. */
export function composeArgs(project: Slugged, ...words: readonly string[]): readonly string[] {
  return ['-p', toProjectName(project.slug), '-f', 'compose.yml', ...words]
}
