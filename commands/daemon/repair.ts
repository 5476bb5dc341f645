import path from 'node:path'
import {boolean} from '@oclif/core/flags'
import {BaseCommand} from '../../src/cli/base-command.js'
import {yesFlag} from '../../src/cli/global-flags.js'
import {homeFlag} from '../../src/cli/home-flag.js'

export default class DaemonRepair extends BaseCommand<typeof DaemonRepair> {
  static override summary = 'look for damage in the store and write it anew from what can be read'
  static override description = 'Shows what would be lost and asks. A copy of the damaged files is kept. The daemon must not run.'
  static override flags = {home: homeFlag, 'dry-run': boolean({description: 'show what would be lost and change nothing'}), yes: yesFlag}
  static override examples = [
    {description: 'what is wrong?', command: '<%= config.bin %> <%= command.id %> --dry-run'},
    {description: 'repair it', command: '<%= config.bin %> <%= command.id %> --yes'},
  ]

  async run(): Promise<object> {
    const home = path.resolve(this.flags.home ?? this.paths.home)
    const {inspectHome, repairHome} = await import('../../daemon/main.js')
    const found = await inspectHome(home)
    for (const {file, offset, bytes, reason} of found.damages) this.log(`${file} at ${offset}, ${bytes} bytes: ${reason}`)
    this.log(`lost: ${found.lostTransactions} transactions, ${found.lostDocuments} documents; kept: ${found.kept.documents} documents`)
    if (found.damages.length === 0) {
      this.out.note('the store is whole: nothing to repair')
      return {home, repaired: false, ...found}
    }
    if (this.flags['dry-run']) return {home, repaired: false, ...found}
    await this.prompts.confirm(`Repair the store of ${home}?`, this.flags.yes)
    const result = await repairHome(home)
    this.log(`the store is repaired; the damaged files are in ${result.copyFolder ?? home}`)
    return {home, repaired: true, ...result}
  }
}
