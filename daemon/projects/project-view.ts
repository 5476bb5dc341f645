import type {Project} from '../../src/contract/project.js'
import {findServers} from '../servers/find-server.js'
import type {StoreReader} from '../store/store.js'
import {findRelease} from './deployments/find-release.js'
import {composeProjectName} from './find-project.js'
import type {ProjectRecord} from './records.js'

/** A project as it goes out, with what its server and its releases say of it. Sealed fields stay behind. */
export async function toProjectView(reader: StoreReader, project: ProjectRecord): Promise<Project> {
  const {deployKey, gitUsername: _username, gitPassword: _password, uploadId: _upload, appDefinition: _definition, lastVersion: _last, portGiven: _given, ...fields} = project
  const [server] = project.serverId === null ? [] : await findServers(reader, [project.serverId])
  const release = project.activeDeploymentId === null ? undefined : await findRelease(reader, project.activeDeploymentId)
  const isDisabled = project.disabledAt !== null
  return {
    ...fields,
    groupId: project.id.replace(/^proj_/, 'app_'),
    hasDeployKey: deployKey !== null,
    composeProjectName: composeProjectName(project),
    deployTarget: project.serverId !== null ? 'server' : project.activeDeploymentId === null ? null : 'local',
    serverName: server?.name ?? null,
    activeDeploymentStatus: release?.status ?? null,
    activeVersion: release?.version ?? null,
    status: isDisabled ? 'disabled' : project.activeDeploymentId === null ? 'new' : 'active',
    enabled: !isDisabled,
    source: 'local',
  }
}
