import type {StoreReader} from '../store/store.js'
import {Deployments} from './deployments/records.js'
import {Projects, type ProjectRecord} from './records.js'

interface Place {
  readonly id: string
  readonly organizationId: string
  readonly isLocal: boolean
}

/** Projects that are deployed to a server, or still served there, and deployments that go on there: what the end of the server would touch. */
export async function findProjectsOnServer(reader: StoreReader, {id, organizationId, isLocal}: Place) {
  const isHere = (serverId: string | null | undefined) => serverId === id || (serverId === null && isLocal)
  const all = await reader.find(Projects, 'organization', [organizationId])
  const found = await Promise.all(all.map(async (project): Promise<ProjectRecord[]> => {
    if (isHere(project.serverId)) return [project]
    const active = project.activeDeploymentId === null ? undefined : await reader.get(Deployments, project.activeDeploymentId)
    return isHere(active?.serverId) ? [project] : []
  }))
  const going = await reader.find(Deployments, 'open', ['active'])
  return {
    projects: found.flat().map(({id: projectId, name, isApp}) => ({id: projectId, name, isApp})),
    activeDeployments: going.filter((deployment) => deployment.organizationId === organizationId && isHere(deployment.serverId)).map((deployment) => deployment.id),
  }
}
