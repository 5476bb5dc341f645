import path from 'node:path'
import * as Args from '@oclif/core/args'
import {boolean, string} from '@oclif/core/flags'
import type {JsonResult} from '../src/cli/base-command.js'
import {DeploymentCommand} from '../src/cli/deployment-command.js'
import {getProject, getServer} from '../src/cli/find-by-name.js'
import {chooseFolderProject, type FolderProject} from '../src/cli/folder-project.js'
import {confirmWipe, oldVolumesFlag} from '../src/cli/old-volumes.js'
import {yesFlag} from '../src/cli/global-flags.js'
import {linkPath, writeProjectLink} from '../src/cli/project-link.js'
import {sendFolder} from '../src/cli/send-folder.js'
import {Fault} from '../src/contract/faults.js'

const ofFolders = ['project', 'create', 'server'] as const
const ofProjects = ['image', 'branch', 'commit', 'refresh'] as const

export default class Deploy extends DeploymentCommand<typeof Deploy> {
  static override summary = 'deploy a project, or a folder of this machine'
  static override description = `Waits for the end on a terminal, in CI and with --json. Ends with 0 when it is live, 1 when it is not, and 8 when --timeout came first.

What is a dot or has a slash is a folder: it is packed without what its .dockerignore leaves out, sent, and deployed to the project of --project, else to the one of ${linkPath} in it, else to the one you say when asked. The first deployment that is live writes that file. It holds the id of the project and no secret: commit it to share it, or ignore it.`
  static override args = {project: Args.string({description: 'id, slug or name of the project, or a folder with a slash or a dot, such as . or ./shop', required: true})}
  static override flags = {
    project: string({char: 'p', description: 'deploy the folder to this project', helpValue: 'PROJECT'}),
    create: boolean({description: 'make the project of the folder if it is not there; called as the folder unless --project is given'}),
    server: string({char: 's', description: 'where a new project goes: id or name of the server; the machine of the daemon unless given', helpValue: 'SERVER'}),
    image: string({description: 'deploy this image from now on, for projects of one image', helpValue: 'REF'}),
    branch: string({description: 'branch to deploy; that of the project unless given', helpValue: 'NAME'}),
    commit: string({description: 'commit to deploy; the head of the branch unless given', helpValue: 'SHA'}),
    service: string({description: 'only this service; the others are carried forward', helpValue: 'NAME', multiple: true, multipleNonGreedy: true}),
    'force-all': boolean({description: 'build and start every service anew'}),
    refresh: boolean({description: 'start from the images that are there, with the variables of now', exclusive: ['image', 'branch', 'commit', 'smart', 'force-all']}),
    smart: boolean({description: 'only services whose files changed since the release that is served'}),
    'old-volumes': oldVolumesFlag,
    yes: yesFlag,
    wait: boolean({char: 'w', description: 'wait for the end', allowNo: true}),
    plain: boolean({description: 'plain lines on a terminal too'}),
  }
  static override examples = [
    {description: 'deploy and watch', command: '<%= config.bin %> <%= command.id %> shop'},
    {description: 'one service, in a pipeline', command: '<%= config.bin %> <%= command.id %> shop --service web --wait --timeout 15m'},
    {description: 'another image', command: '<%= config.bin %> <%= command.id %> shop --image nginx:1.27'},
    {description: 'this folder', command: '<%= config.bin %> <%= command.id %> .'},
    {description: 'this folder, in a pipeline', command: '<%= config.bin %> <%= command.id %> . --project shop --create --server web-1 --wait'},
  ]
  static override fieldFlags = {branch: '--branch', commitSha: '--commit', serviceIds: '--service', oldVolumes: '--old-volumes', image: '--image', name: '--project', serverId: '--server'}

  async run(): Promise<JsonResult> {
    await confirmWipe(this.prompts, this.flags)
    return isFolder(this.args.project) ? this.#deployFolder(path.resolve(this.args.project)) : this.#deployProject(this.args.project)
  }

  async #deployProject(name: string): Promise<JsonResult> {
    this.#refuse(ofFolders, `of folders, and ${name} is the name of a project; a folder has a slash in it, as ./${name}`)
    const project = await getProject(this.api, name, this.signal)
    const {image, branch, commit} = this.flags
    if (image !== undefined) await this.api.projects.update({params: {id: project.id}, body: {image}}, {signal: this.signal})
    const body = {projectId: project.id, ...this.#how(), ...(branch !== undefined && {branch}), ...(commit !== undefined && {commitSha: commit})}
    const {data} = await this.api.deployments.create({body}, {signal: this.signal})
    return this.#follow(data.deployment_id, project.slug)
  }

  async #deployFolder(folder: string): Promise<JsonResult> {
    this.#refuse(ofProjects, 'not of folders, which are deployed as they are')
    const {project, create, server} = this.flags
    const to = await chooseFolderProject({api: this.api, prompts: this.prompts, folder, project, create, signal: this.signal})
    const fields = server === undefined ? {} : {serverId: (await getServer(this.api, server, this.signal)).id}
    const {projectId, name, uploadSessionId, isNew} = await sendFolder(this.api, {folder, to, fields, signal: this.signal}, this.out)
    if (isNew) this.out.note(`the project ${name} is created: ${projectId}`)
    const started = await this.api.deployments.start({body: {projectId, uploadSessionId, ...this.#how()}}, {signal: this.signal})
    const ended = await this.#follow(started.deployment_id, name)
    if (this.waits(this.flags.wait)) await this.#link(folder, to, projectId)
    return ended
  }

  #how() {
    const {refresh, smart, service, 'old-volumes': oldVolumes} = this.flags
    return {refresh, smartRoute: smart, forceAll: this.flags['force-all'], ...(service !== undefined && {serviceIds: service}), ...(oldVolumes !== undefined && {oldVolumes})}
  }

  async #follow(id: string, what: string): Promise<JsonResult> {
    this.announce(id, `deploys ${what}`)
    if (this.waits(this.flags.wait)) return this.finish(id, {plain: this.flags.plain})
    this.log(id)
    this.out.note(`follow it with: ${this.config.bin} deployments watch ${id}`)
    return (await this.api.deployments.show({params: {id}}, {signal: this.signal})).data
  }

  // A folder that is linked stays so, whatever else it is deployed to once.
  async #link(folder: string, to: FolderProject, projectId: string): Promise<void> {
    if (to.link !== undefined) return
    await writeProjectLink(folder, {projectId})
    this.out.note(`${linkPath} links this folder to the project; it holds no secret and may be committed`)
  }

  #refuse(names: readonly (keyof typeof Deploy.flags)[], why: string): void {
    const given = names.find((name) => this.flags[name] !== undefined && this.flags[name] !== false)
    if (given !== undefined) throw new Fault('USAGE', `--${given} is ${why}`)
  }
}

function isFolder(text: string): boolean {
  return text === '.' || text === '..' || text.includes('/') || text.includes(path.sep)
}
