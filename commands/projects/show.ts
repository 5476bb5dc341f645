import * as Args from '@oclif/core/args'
import {BaseCommand} from '../../src/cli/base-command.js'
import {getProject} from '../../src/cli/find-by-name.js'
import type {Project} from '../../src/contract/project.js'

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
      ['framework', data.framework],
      ['source', sourceOf(data)],
      ['Compose file', data.composePath],
      ['Dockerfile', data.dockerfile],
      ['port', data.port],
      ['server', data.serverName ?? data.serverId],
      ['on the server', data.composeProjectName],
      ['release', data.activeVersion === null ? null : `${data.activeVersion} (${data.activeDeploymentId ?? ''})`],
      ['status', data.status],
      ['created', data.createdAt],
    ])
    return data
  }
}

function sourceOf({sourceKind, gitUrl, gitOwner, gitRepo, gitBranch, image, localPath, appTemplateId}: Project): string | null {
  if (sourceKind === 'image') return `image ${image ?? ''}`
  if (sourceKind === 'app') return `app ${appTemplateId ?? ''}`
  if (sourceKind === 'upload') return 'uploaded folder'
  const repository = gitUrl ?? (gitOwner === null ? null : `${gitOwner}/${gitRepo ?? ''}`)
  if (repository !== null) return `${repository} ${gitBranch ?? ''}`.trim()
  return localPath
}
