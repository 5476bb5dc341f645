import path from 'node:path'
import * as Args from '@oclif/core/args'
import {BaseCommand} from '../../src/cli/base-command.js'
import {removeProjectLink} from '../../src/cli/project-link.js'

export default class ProjectsUnlink extends BaseCommand<typeof ProjectsUnlink> {
  static override summary = 'take the link of a folder to its project away; the project stays'
  static override args = {folder: Args.string({description: 'the folder; this one unless given', default: '.'})}
  static override examples = [{description: 'unlink this folder', command: '<%= config.bin %> <%= command.id %>'}]

  async run(): Promise<object> {
    const folder = path.resolve(this.args.folder)
    const unlinked = await removeProjectLink(folder)
    if (unlinked) this.log(`${folder} is not linked any more`)
    else this.out.note(`${folder} was not linked`)
    return {folder, unlinked}
  }
}
