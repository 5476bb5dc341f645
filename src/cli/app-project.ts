import type {Client} from '../client/client.js'
import {Fault} from '../contract/faults.js'
import type {Project} from '../contract/project.js'
import {getProject} from './find-by-name.js'

/** A project that was installed from an app. */
export async function getAppProject(api: Client, name: string, signal: AbortSignal): Promise<Project> {
  const project = await getProject(api, name, signal)
  if (project.appTemplateId !== null) return project
  throw new Fault('CONFLICT', `${project.name} was not installed from an app`, {details: {project: project.id}, suggestions: [`projects show ${project.slug}`]})
}
