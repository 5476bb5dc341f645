import {option, string} from '@oclif/core/flags'
import {BaseCommand} from '../../src/cli/base-command.js'
import {deploymentColumns} from '../../src/cli/deployment-text.js'
import {getProject} from '../../src/cli/find-by-name.js'
import {listFlags} from '../../src/cli/global-flags.js'
import {collectPages} from '../../src/cli/list-pages.js'
import type {DeploymentStatus} from '../../src/contract/deployments.js'

export default class DeploymentsList extends BaseCommand<typeof DeploymentsList> {
  static override summary = 'list deployments, newest first'
  static override flags = {
    ...listFlags,
    project: string({description: 'only of this project', helpValue: 'PROJECT'}),
    status: string({description: 'only deployments that are or ended so', helpValue: 'STATUS'}),
    environment: option({options: ['production', 'preview'] as const})({description: 'only deployments with the variables of this environment'}),
  }
  static override examples = [
    {description: 'of one project', command: '<%= config.bin %> <%= command.id %> --project shop'},
    {description: 'what failed, for a script', command: '<%= config.bin %> <%= command.id %> --status failed --json'},
  ]
  static override fieldFlags = {status: '--status'}

  async run(): Promise<object> {
    const {project, status, environment} = this.flags
    const found = project === undefined ? undefined : await getProject(this.api, project, this.signal)
    const filters = {projectId: found?.id, status: status as DeploymentStatus | undefined, environment}
    const result = await collectPages(this.flags, (query) => this.api.deployments.list({query: {...query, ...filters}}, {signal: this.signal}))
    this.out.table(deploymentColumns, result.items, 'no deployments')
    return result
  }
}
