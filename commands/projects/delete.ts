import * as Args from '@oclif/core/args'
import {boolean} from '@oclif/core/flags'
import {BaseCommand} from '../../src/cli/base-command.js'
import {getProject} from '../../src/cli/find-by-name.js'
import {yesFlag} from '../../src/cli/global-flags.js'

const deletionTimeoutMs = 300_000

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
    const {id, name} = await getProject(this.api, this.args.project, this.signal)
    const {data: preview} = await this.api.projects.deletionPreview({params: {id}, query: volumes ? {wipeVolumes: 'true'} : {}}, {signal: this.signal})
    if (!preview.reachable) this.out.warn('its server does not answer; this is what is known of it')
    for (const {kind, name: what} of recordOnly ? [] : preview.removed) this.out.note(`${kind} ${what} goes`)
    for (const {kind, name: what} of recordOnly ? [...preview.removed, ...preview.kept] : preview.kept) this.out.note(`${kind} ${what} stays`)
    for (const deployment of preview.activeDeploymentIds) this.out.note(`deployment ${deployment} is going on`)
    if (dryRun) {
      this.log(`${name} would be deleted`)
      return {id, deleted: false, preview}
    }
    await this.prompts.confirm(`Delete the project ${name} (${id})${volumes ? ' with all of its data' : ''}?`, yes)
    const query = {...(volumes && {wipeVolumes: 'true'}), ...(force && {force: 'true'}), ...(recordOnly && {recordOnly: 'true'}), ...(forceOrphan && {forceOrphan: 'true'})}
    const result = await this.api.projects.delete({params: {id}, query}, {signal: this.signal, timeoutMs: deletionTimeoutMs})
    for (const left of result.orphaned) this.out.warn(`left on its server: ${left}`)
    this.log(`${name} is deleted`)
    return {id, deleted: true, preview, ...result}
  }
}
