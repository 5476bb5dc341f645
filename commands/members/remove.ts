import * as Args from '@oclif/core/args'
import {BaseCommand} from '../../src/cli/base-command.js'
import {getMember} from '../../src/cli/find-by-name.js'
import {yesFlag} from '../../src/cli/global-flags.js'

export default class MembersRemove extends BaseCommand<typeof MembersRemove> {
  static override summary = 'remove a member; their tokens end at once'
  static override args = {member: Args.string({description: 'id or email of the member', required: true})}
  static override flags = {yes: yesFlag}
  static override examples = [{description: 'remove a member', command: '<%= config.bin %> <%= command.id %> kim@example.com --yes'}]

  async run(): Promise<object> {
    const member = await getMember(this.api, this.args.member, this.signal)
    await this.prompts.confirm(`Remove ${member.name} <${member.email}> and end their tokens?`, this.flags.yes)
    const {data} = await this.api.members.remove({params: {id: member.id}}, {signal: this.signal})
    this.log(`${member.name} is removed; tokens ended: ${data.tokensRevoked}`)
    return {id: member.id, ...data}
  }
}
