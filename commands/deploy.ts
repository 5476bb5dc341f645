import * as Args from '@oclif/core/args'
import {boolean, string} from '@oclif/core/flags'
import type {JsonResult} from '../src/cli/base-command.js'
import {DeploymentCommand} from '../src/cli/deployment-command.js'
import {getProject} from '../src/cli/find-by-name.js'

export default class Deploy extends DeploymentCommand<typeof Deploy> {
  static override summary = 'deploy a project'
  static override description = 'Waits for the end on a terminal, in CI and with --json. Ends with 0 when it is live, 1 when it is not, and 8 when --timeout came first.'
  static override args = {project: Args.string({description: 'id, slug or name of the project', required: true})}
  static override flags = {
    image: string({description: 'deploy this image from now on, for projects of one image', helpValue: 'REF'}),
    branch: string({description: 'branch to deploy; that of the project unless given', helpValue: 'NAME'}),
    commit: string({description: 'commit to deploy; the head of the branch unless given', helpValue: 'SHA'}),
    service: string({description: 'only this service; the others are carried forward', helpValue: 'NAME', multiple: true, multipleNonGreedy: true}),
    'force-all': boolean({description: 'build and start every service anew'}),
    refresh: boolean({description: 'start from the images that are there, with the variables of now', exclusive: ['image', 'branch', 'commit', 'smart', 'force-all']}),
    smart: boolean({description: 'only services whose files changed since the release that is served'}),
    wait: boolean({char: 'w', description: 'wait for the end', allowNo: true}),
    plain: boolean({description: 'plain lines on a terminal too'}),
  }
  static override examples = [
    {description: 'deploy and watch', command: '<%= config.bin %> <%= command.id %> shop'},
    {description: 'one service, in a pipeline', command: '<%= config.bin %> <%= command.id %> shop --service web --wait --timeout 15m'},
    {description: 'another image', command: '<%= config.bin %> <%= command.id %> shop --image nginx:1.27'},
  ]
  static override fieldFlags = {branch: '--branch', commitSha: '--commit', serviceIds: '--service', image: '--image'}

  async run(): Promise<JsonResult> {
    const project = await getProject(this.api, this.args.project, this.signal)
    const {image, branch, commit, service, refresh, smart} = this.flags
    if (image !== undefined) await this.api.projects.update({params: {id: project.id}, body: {image}}, {signal: this.signal})
    const body = {
      projectId: project.id, refresh, smartRoute: smart, forceAll: this.flags['force-all'],
      ...(branch !== undefined && {branch}), ...(commit !== undefined && {commitSha: commit}), ...(service !== undefined && {serviceIds: service}),
    }
    const {data} = await this.api.deployments.create({body}, {signal: this.signal})
    const id = data.deployment_id
    this.announce(id, `deploys ${project.slug}`)
    if (this.waits(this.flags.wait)) return this.finish(id, {plain: this.flags.plain})
    this.log(id)
    this.out.note(`follow it with: ${this.config.bin} deployments watch ${id}`)
    return data.deployment
  }
}
