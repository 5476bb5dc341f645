import path from 'node:path'
import * as Args from '@oclif/core/args'
import {string} from '@oclif/core/flags'
import {BaseCommand} from '../../src/cli/base-command.js'
import {getProject} from '../../src/cli/find-by-name.js'
import {linkPath, writeProjectLink} from '../../src/cli/project-link.js'

export default class ProjectsLink extends BaseCommand<typeof ProjectsLink> {
  static override summary = 'link a folder to the project that it is deployed to'
  static override description = `Writes ${linkPath}, which holds the id of the project and no secret: commit it to share it, or ignore it.`
  static override args = {project: Args.string({description: 'id, slug or name of the project', required: true})}
  static override flags = {directory: string({description: 'the folder to link', helpValue: 'PATH', default: '.'})}
  static override examples = [{description: 'link this folder', command: '<%= config.bin %> <%= command.id %> shop'}]

  async run(): Promise<object> {
    const folder = path.resolve(this.flags.directory)
    const {id, slug} = await getProject(this.api, this.args.project, this.signal)
    await writeProjectLink(folder, {projectId: id})
    this.log(`${folder} is linked to ${slug}`)
    return {folder, projectId: id}
  }
}
