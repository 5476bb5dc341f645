import {boolean, integer, string} from '@oclif/core/flags'
import type {Client} from '../client/client.js'
import {getServer} from './find-by-name.js'

/** What a project is made of and where it goes. */
export const projectFlags = {
  branch: string({description: 'branch of the repository', helpValue: 'BRANCH'}),
  image: string({description: 'image to run, for projects of one image', helpValue: 'IMAGE'}),
  folder: string({description: 'folder on the machine of the daemon to deploy from', helpValue: 'PATH'}),
  server: string({char: 's', description: 'id or name of the server; the machine of the daemon unless given', helpValue: 'SERVER'}),
  'compose-file': string({description: 'Compose file within the source', helpValue: 'PATH'}),
  dockerfile: string({description: 'Dockerfile within the source', helpValue: 'PATH'}),
  'root-directory': string({description: 'folder of the source that is built', helpValue: 'PATH'}),
  port: integer({description: 'port the app listens on; that of its image unless given, else 3000'}),
  framework: string({description: 'framework it is built with'}),
  submodules: boolean({description: 'fetch the submodules of the repository', allowNo: true}),
}

export const projectFieldFlags = {
  gitBranch: '--branch', image: '--image', localPath: '--folder', serverId: '--server', composePath: '--compose-file', dockerfile: '--dockerfile', rootDirectory: '--root-directory', port: '--port',
  framework: '--framework', submodules: '--submodules',
}

interface Given {
  readonly branch?: string | undefined
  readonly image?: string | undefined
  readonly folder?: string | undefined
  readonly server?: string | undefined
  readonly 'compose-file'?: string | undefined
  readonly dockerfile?: string | undefined
  readonly 'root-directory'?: string | undefined
  readonly port?: number | undefined
  readonly framework?: string | undefined
  readonly submodules?: boolean | undefined
}

/** The fields of what was given, and no others. */
export async function readProject(api: Client, flags: Given, signal: AbortSignal) {
  const {branch, image, folder, server, dockerfile, port, framework, submodules, 'compose-file': composePath, 'root-directory': rootDirectory} = flags
  const serverId = server === undefined ? undefined : (await getServer(api, server, signal)).id
  return {
    ...(branch !== undefined && {gitBranch: branch}),
    ...(image !== undefined && {image}),
    ...(folder !== undefined && {localPath: folder}),
    ...(serverId !== undefined && {serverId}),
    ...(composePath !== undefined && {composePath}),
    ...(dockerfile !== undefined && {dockerfile}),
    ...(rootDirectory !== undefined && {rootDirectory}),
    ...(port !== undefined && {port}),
    ...(framework !== undefined && {framework}),
    ...(submodules !== undefined && {submodules}),
  }
}
