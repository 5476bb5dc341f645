import type {Client} from '../client/client.js'
import {Fault} from '../contract/faults.js'
import type {Project} from '../contract/project.js'
import type {Service} from '../contract/services.js'
import {getProject} from './find-by-name.js'

export interface FoundService {
  readonly project: Project
  readonly service: Service
  readonly params: {readonly id: string; readonly serviceId: string}
}

/** A service as it is named on the command line: PROJECT/SERVICE. The service may be left out where the project has one only. */
export async function getServiceOf(api: Client, text: string, signal: AbortSignal): Promise<FoundService> {
  const at = text.lastIndexOf('/')
  const name = at === -1 ? undefined : text.slice(at + 1)
  const project = await getProject(api, at === -1 ? text : text.slice(0, at), signal)
  const {services} = await api.services.list({params: {id: project.id}}, {signal})
  const found = name === undefined ? only(services, project) : services.find((service) => service.name === name || service.id === name)
  if (found === undefined) throw new Fault('NOT_FOUND', `${project.name} has no service ${name ?? ''}`, {details: {service: name}, suggestions: [`services list ${project.slug}`]})
  return {project, service: found, params: {id: project.id, serviceId: found.id}}
}

function only(services: readonly Service[], {name, slug}: Project): Service | undefined {
  if (services.length > 1) throw new Fault('USAGE', `${name} has ${services.length} services: say which, as ${slug}/SERVICE`, {suggestions: [`services list ${slug}`]})
  return services[0]
}

/** Whether a project is deployed from files, which may hold a Compose file that is read with each deployment. */
export function hasFiles({sourceKind, gitUrl, gitOwner, localPath}: Project): boolean {
  return sourceKind === 'git' || sourceKind === 'upload' || gitUrl !== null || gitOwner !== null || localPath !== null
}
