import type {Client} from '../client/client.js'
import {Fault} from '../contract/faults.js'
import type {Project} from '../contract/project.js'
import type {FolderProject} from './folder-project.js'
import type {Output} from './output.js'
import {uploadFolder} from './upload-folder.js'

/** What a new project is given besides its name. */
export interface NewProjectFields {
  readonly serverId?: string
  readonly composePath?: string
  readonly dockerfile?: string
  readonly rootDirectory?: string
  readonly port?: number
}

export interface SendFolderWish {
  readonly folder: string
  readonly to: FolderProject
  readonly fields: NewProjectFields
  readonly signal: AbortSignal
}

export interface SentFolder {
  readonly projectId: string
  readonly name: string
  readonly uploadSessionId: string
  readonly isNew: boolean
}

/** Sends a folder and makes it what its project is deployed from; one that has another source keeps that. */
export async function sendFolder(api: Client, {folder, to, fields, signal}: SendFolderWish, out: Pick<Output, 'progress' | 'warn'>): Promise<SentFolder> {
  const project = 'project' in to ? to.project : undefined
  if (project?.sourceKind === 'app') throw new Fault('USAGE', `${project.name} is an installed app, which no folder replaces`, {suggestions: [`apps update ${project.slug}`]})
  const name = 'newName' in to ? to.newName : to.project.name
  const {sessionId: uploadSessionId} = await uploadFolder(api, {folder, name, keep: keptPaths(project ?? fields), signal}, out)
  if (project !== undefined && hasOtherSource(project)) {
    out.warn(`${project.name} has a source of its own (${project.sourceKind ?? 'folder'}); only this deployment takes ${folder}`)
    return {projectId: project.id, name, uploadSessionId, isNew: false}
  }
  const body = {name, uploadSessionId, ...(project === undefined ? fields : {projectId: project.id})}
  const {project_id: projectId, created} = await api.uploads.ensure({body}, {signal})
  return {projectId, name, uploadSessionId, isNew: created}
}

function hasOtherSource({sourceKind, localPath}: Project): boolean {
  return sourceKind === null ? localPath !== null : sourceKind !== 'upload'
}

// A deployment reads these before any build, whatever .dockerignore says.
function keptPaths({rootDirectory, composePath, dockerfile}: {readonly rootDirectory?: string | null; readonly composePath?: string | null; readonly dockerfile?: string | null}): string[] {
  const root = rootDirectory == null || rootDirectory === '' ? '' : `${rootDirectory}/`
  return [composePath, dockerfile].filter((place) => place != null && place !== '').map((place) => root + place)
}
