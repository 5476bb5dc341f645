import {stat} from 'node:fs/promises'
import path from 'node:path'
import type {Client} from '../client/client.js'
import {Fault} from '../contract/faults.js'
import type {Project} from '../contract/project.js'
import {findProject} from './find-by-name.js'
import {findProjectLink, linkPath, type ProjectLink} from './project-link.js'
import type {Prompts} from './prompts.js'

export interface FolderProjectWish {
  readonly api: Client
  readonly prompts: Prompts
  readonly folder: string
  /** As it was named. */
  readonly project: string | undefined
  /** Whether one that is not there is made. */
  readonly create: boolean
  readonly signal: AbortSignal
}

/** The project that a folder is deployed to: one that is there, or the name of a new one. */
export type FolderProject = ({readonly project: Project} | {readonly newName: string}) & {readonly link: ProjectLink | undefined}

/** What was named, else what the folder is linked to, else what a person says. Where nobody can be asked it fails and names the flag. */
export async function chooseFolderProject({api, prompts, folder, project: named, create, signal}: FolderProjectWish): Promise<FolderProject> {
  if (!(await isFolder(folder))) throw new Fault('USAGE', `there is no folder ${folder}`, {details: {folder}})
  const link = await findProjectLink(folder)
  if (named !== undefined || (create && link === undefined)) {
    const name = named ?? path.basename(folder)
    const found = await findProject(api, name, signal)
    if (found !== undefined) return {project: found, link}
    if (create) return {newName: name, link}
    throw new Fault('NOT_FOUND', `no project ${name}; with --create it is made`, {details: {project: name}, suggestions: ['projects list', `deploy ${folder} --project ${name} --create`]})
  }
  if (link !== undefined) return {project: await linkedProject(api, {folder, projectId: link.projectId, signal}), link}
  const name = await prompts.ask({text: `the project to deploy ${folder} to`, flag: '--project', default: path.basename(folder)})
  const found = await findProject(api, name, signal)
  if (found !== undefined) return {project: found, link}
  await prompts.confirm(`There is no project ${name} yet. Create it?`, false)
  return {newName: name, link}
}

async function linkedProject(api: Client, {folder, projectId, signal}: {readonly folder: string; readonly projectId: string; readonly signal: AbortSignal}): Promise<Project> {
  try {
    return (await api.projects.show({params: {id: projectId}}, {signal})).data
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== 'NOT_FOUND') throw error
    const message = `${path.join(folder, linkPath)} names the project ${projectId}, which is not here`
    throw new Fault('NOT_FOUND', message, {details: {project: projectId}, suggestions: [`projects unlink ${folder}`, `deploy ${folder} --project NAME`], cause: error})
  }
}

async function isFolder(place: string): Promise<boolean> {
  return stat(place).then((stats) => stats.isDirectory(), () => false)
}
