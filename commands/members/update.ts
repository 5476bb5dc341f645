import * as Args from '@oclif/core/args'
import {string} from '@oclif/core/flags'
import {BaseCommand} from '../../src/cli/base-command.js'
import {getMember} from '../../src/cli/find-by-name.js'
import {parseRole} from '../../src/cli/role-flag.js'

export default class MembersUpdate extends BaseCommand<typeof MembersUpdate> {
  static override summary = 'change the role of a member'
  static override args = {member: Args.string({description: 'id or email of the member', required: true})}
  static override flags = {role: string({description: 'what the person may do', options: ['owner', 'admin', 'member', 'restricted'], required: true})}
  static override examples = [{description: 'make a colleague an administrator', command: '<%= config.bin %> <%= command.id %> kim@example.com --role admin'}]

  async run(): Promise<object> {
    const member = await getMember(this.api, this.args.member, this.signal)
    const {data} = await this.api.members.update({params: {id: member.id}, body: {role: parseRole(this.flags.role)}}, {signal: this.signal})
    this.log(`${data.name} is ${data.role}`)
    return data
  }
}
