import * as Args from '@oclif/core/args'
import {boolean} from '@oclif/core/flags'
import {BaseCommand} from '../../src/cli/base-command.js'
import {yesFlag} from '../../src/cli/global-flags.js'
import {readJobFile} from '../../src/cli/job-file.js'
import {changesSomething, planLines, planSummary} from '../../src/cli/plan-text.js'
import {Fault} from '../../src/contract/faults.js'

export default class JobsApply extends BaseCommand<typeof JobsApply> {
  static override summary = 'make the jobs of a file so: create, change and, with --prune, delete'
  static override description = 'Shows the difference and asks. The file is YAML: manifest, and jobs with the fields of the API, servers by name, secrets as {fromEnv: NAME} or {fromFile: PATH}.'
  static override args = {file: Args.string({description: 'job file', required: true})}
  static override flags = {
    'dry-run': boolean({description: 'show the difference and change nothing'}),
    prune: boolean({description: 'delete jobs of this manifest that the file names no more'}),
    adopt: boolean({description: 'take over jobs of the same name that were made otherwise'}),
    yes: yesFlag,
  }
  static override examples = [
    {description: 'see what would change', command: '<%= config.bin %> <%= command.id %> jobs.yaml --dry-run'},
    {description: 'in a pipeline', command: '<%= config.bin %> <%= command.id %> jobs.yaml --prune --yes'},
  ]

  async run(): Promise<object> {
    const {prune, adopt, yes, 'dry-run': dryRun} = this.flags
    const declared = await readJobFile(this.args.file, {api: this.api, variables: this.io.variables, signal: this.signal})
    const body = {...declared, prune, adopt}
    const {data: plan} = await this.api.jobs.preview({body}, {signal: this.signal})
    for (const line of planLines(plan.changes, this.out.paint)) this.log(line)
    this.out.note(planSummary(plan.changes))
    if (dryRun) return plan
    const conflicts = plan.changes.filter((change) => change.action === 'conflict').map((change) => change.name)
    if (conflicts.length > 0) {
      throw new Fault('JOB_CONFLICT', `made otherwise: ${conflicts.join(', ')}; rename yours, or take them over with --adopt`, {details: {names: conflicts, plan}})
    }
    if (!changesSomething(plan.changes)) {
      this.out.note('nothing to change')
      return plan
    }
    await this.prompts.confirm('Make these changes?', yes)
    const {data} = await this.api.jobs.apply({body}, {signal: this.signal})
    this.out.note(`the jobs of ${data.manifest} are as the file says`)
    return data
  }
}
