import {BaseCommand} from '../src/cli/base-command.js'
import {runChecks} from '../src/cli/doctor-checks.js'
import {createClient} from '../src/client/client.js'
import {Fault} from '../src/contract/faults.js'

const answerTimeoutMs = 10_000

export default class Doctor extends BaseCommand<typeof Doctor> {
  static override summary = 'look for what stands in the way: configuration, daemon, network, token, scheduler'
  static override description = 'Changes nothing, and starts no daemon. Ends with 1 when a check failed.'
  static override examples = [{description: 'why does it not work?', command: '<%= config.bin %> <%= command.id %>'}]

  async run(): Promise<object> {
    // A doctor that starts what is missing would find nothing missing.
    this.flags['no-start'] = true
    const target = () => this.target()
    const api = createClient({connect: target, userAgent: this.userAgent, timeoutMs: this.flags.timeout ?? answerTimeoutMs})
    const checks = await runChecks({paths: this.paths, version: this.config.version, signal: this.signal, target, api})
    this.out.table(
      [
        {heading: 'CHECK', value: (row) => row.name},
        {heading: 'RESULT', value: (row) => row.status},
        {heading: 'FOUND', value: (row) => row.detail, whole: true},
      ],
      checks,
      'nothing to check',
    )
    const failed = checks.filter((check) => check.status === 'fail')
    if (failed.length > 0) throw new Fault('CONFLICT', `${failed.length} of ${checks.length} checks failed: ${failed.map((check) => check.name).join(', ')}`, {details: {checks}})
    return {checks}
  }
}
