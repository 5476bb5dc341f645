import * as Args from '@oclif/core/args'
import {boolean} from '@oclif/core/flags'
import {BaseCommand} from '../../src/cli/base-command.js'
import {deleteProject} from '../../src/cli/delete-project.js'
import {getAppProject} from '../../src/cli/app-project.js'
import {yesFlag} from '../../src/cli/global-flags.js'

export default class AppsUninstall extends BaseCommand<typeof AppsUninstall> {
  static override summary = 'uninstall an app; its volumes stay unless --wipe-volumes is given'
  static override description = 'Shows first what goes, what stays and which projects use it. Installed again under the same name, it finds its volumes, but has new secrets.'
  static override args = {project: Args.string({description: 'id, slug or name of the project', required: true})}
  static override flags = {
    'wipe-volumes': boolean({description: 'delete its volumes too, with all data'}),
    force: boolean({description: 'cancel a deployment that is going on'}),
    'force-orphan': boolean({description: 'uninstall it although its server does not let go of everything'}),
    'dry-run': boolean({description: 'show what would go and what would stay, and change nothing'}),
    yes: yesFlag,
  }
  static override examples = [
    {description: 'see what would go', command: '<%= config.bin %> <%= command.id %> paste-box --dry-run'},
    {description: 'with all of its data', command: '<%= config.bin %> <%= command.id %> paste-box --wipe-volumes --yes'},
  ]

  async run(): Promise<object> {
    const {'wipe-volumes': volumes, force, 'force-orphan': forceOrphan, 'dry-run': dryRun, yes} = this.flags
    const project = await getAppProject(this.api, this.args.project, this.signal)
    const {api, out, prompts, signal} = this
    const result = await deleteProject({api, out, prompts, signal}, project, {volumes, recordOnly: false, force, forceOrphan, dryRun, yes, verb: 'Uninstall'})
    if (result.deleted) this.log(`${project.name} is uninstalled${volumes ? '' : '; its volumes are kept'}`)
    return result
  }
}
