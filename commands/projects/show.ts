import * as Args from '@oclif/core/args'
import {BaseCommand} from '../../src/cli/base-command.js'
import {getProject} from '../../src/cli/find-by-name.js'
import type {Project} from '../../src/contract/projects.js'

export default class ProjectsShow extends BaseCommand<typeof ProjectsShow> {
  static override summary = 'show a project'
  static override args = {project: Args.string({description: 'id, slug or name of the project', required: true})}
  static override examples = [{description: 'show a project', command: '<%= config.bin %> <%= command.id %> shop'}]

  async run(): Promise<object> {
    const found = await getProject(this.api, this.args.project, this.signal)
    const {data} = await this.api.projects.show({params: {id: found.id}}, {signal: this.signal})
    this.out.fields([
      ['id', data.id],
      ['name', data.name],
      ['slug', data.slug],
      ['type', data.projectType],
      ['environment', `${data.environmentName} (${data.environmentType})`],
      ['app', data.appTemplateId],
      ['source', sourceText(data)],
      ['server', data.serverName ?? 'the machine of the daemon'],
      ['status', data.status],
      ['release', data.activeVersion],
      ['deployment', data.activeDeploymentId],
      ['on the server', data.composeProjectName],
      ['created', data.createdAt],
    ])
    return data
  }
}

function sourceText({sourceKind, gitUrl, gitOwner, gitRepo, gitBranch, image, localPath, appTemplateId}: Project): string | null {
  const repository = gitUrl ?? (gitOwner === null ? null : `${gitOwner}/${gitRepo ?? ''}`)
  if (sourceKind === 'upload') return 'an uploaded folder'
  if (appTemplateId !== null) return `the app ${appTemplateId}`
  if (sourceKind !== 'image' && repository !== null) return [repository, gitBranch].filter((part) => part !== null).join(' ')
  return image ?? localPath
}
