import * as Args from '@oclif/core/args'
import {boolean} from '@oclif/core/flags'
import {getAppProject} from '../../src/cli/app-project.js'
import type {JsonResult} from '../../src/cli/base-command.js'
import {DeploymentCommand} from '../../src/cli/deployment-command.js'
import {yesFlag} from '../../src/cli/global-flags.js'
import {updateLines, type UpdatePlan} from '../../src/cli/update-text.js'
import type {Project} from '../../src/contract/project.js'

export default class AppsUpdate extends DeploymentCommand<typeof AppsUpdate> {
  static override summary = 'bring an installed app to the definition of now'
  static override description = 'Shows first what that changes. What was edited by hand is kept, secrets too. Ends with 0 when it is live, 1 when it is not, and 8 when --timeout came first.'
  static override args = {project: Args.string({description: 'id, slug or name of the project', required: true})}
  static override flags = {
    'dry-run': boolean({description: 'show what would change, and change nothing'}),
    wait: boolean({char: 'w', description: 'wait for the end', allowNo: true}),
    plain: boolean({description: 'plain lines on a terminal too'}),
    yes: yesFlag,
  }
  static override examples = [
    {description: 'see what is new', command: '<%= config.bin %> <%= command.id %> vault --dry-run'},
    {description: 'in a script', command: '<%= config.bin %> <%= command.id %> vault --yes --wait'},
  ]

  async run(): Promise<JsonResult> {
    const project = await getAppProject(this.api, this.args.project, this.signal)
    const {data: plan} = await this.api.appProjects.updatePlan({params: {id: project.id}}, {signal: this.signal})
    if (plan.upToDate) {
      this.log(`${project.name} is up to date`)
      return {project: project.id, updated: false, plan}
    }
    this.#show(plan)
    if (this.flags['dry-run']) return {project: project.id, updated: false, plan}
    await this.prompts.confirm(`Update ${project.name}?`, this.flags.yes)
    const {data} = await this.api.appProjects.update({params: {id: project.id}}, {signal: this.signal})
    if (!data.requiresRedeploy) {
      this.log(`${project.name} is updated`)
      return {project: project.id, updated: data.changed, plan}
    }
    return this.#deploy(project, plan)
  }

  // What is decided on is the answer where nothing else comes; else it stands beside.
  #show(plan: UpdatePlan): void {
    for (const line of updateLines(plan, this.out.paint)) {
      if (this.flags['dry-run']) this.log(line)
      else this.out.note(line)
    }
  }

  async #deploy({id, slug}: Project, plan: UpdatePlan): Promise<JsonResult> {
    const {data} = await this.api.deployments.create({body: {projectId: id, trigger: 'app'}}, {signal: this.signal})
    this.announce(data.deployment_id, `updates ${slug}`)
    if (this.waits(this.flags.wait)) return {project: id, updated: true, plan, deployment: await this.finish(data.deployment_id, {plain: this.flags.plain})}
    this.log(data.deployment_id)
    this.out.note(`follow it with: ${this.config.bin} deployments watch ${data.deployment_id}`)
    return {project: id, updated: true, plan, deployment: data.deployment}
  }
}
