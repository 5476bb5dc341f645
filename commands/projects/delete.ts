import * as Args from '@oclif/core/args'
import {boolean} from '@oclif/core/flags'
import {BaseCommand} from '../../src/cli/base-command.js'
import {deleteProject} from '../../src/cli/delete-project.js'
import {getProject} from '../../src/cli/find-by-name.js'
import {yesFlag} from '../../src/cli/global-flags.js'

export default class ProjectsDelete extends BaseCommand<typeof ProjectsDelete> {
  static override summary = 'delete a project and what runs of it; volumes stay unless --volumes is given'
  static override args = {project: Args.string({description: 'id, slug or name of the project', required: true})}
  static override flags = {
    volumes: boolean({description: 'delete its volumes too, with all data'}),
    'record-only': boolean({description: 'only forget it; everything stays on its server', exclusive: ['volumes']}),
    force: boolean({description: 'cancel a deployment that is going on'}),
    'force-orphan': boolean({description: 'delete it although its server does not let go of everything'}),
    'dry-run': boolean({description: 'show what would go and what would stay, and change nothing'}),
    yes: yesFlag,
  }
  static override examples = [
    {description: 'see what would go', command: '<%= config.bin %> <%= command.id %> shop --dry-run'},
    {description: 'delete a project with its data', command: '<%= config.bin %> <%= command.id %> shop --volumes --yes'},
  ]

  async run(): Promise<object> {
    const {volumes, force, 'record-only': recordOnly, 'force-orphan': forceOrphan, 'dry-run': dryRun, yes} = this.flags
    const project = await getProject(this.api, this.args.project, this.signal)
    const {api, out, prompts, signal} = this
    const result = await deleteProject({api, out, prompts, signal}, project, {volumes, recordOnly, force, forceOrphan, dryRun, yes, verb: 'Delete the project'})
    if (result.deleted) this.log(`${project.name} is deleted`)
    return result
  }
}
