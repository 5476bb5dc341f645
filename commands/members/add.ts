import * as Args from '@oclif/core/args'
import {string} from '@oclif/core/flags'
import {BaseCommand} from '../../src/cli/base-command.js'
import {parseRole, roleFlag} from '../../src/cli/role-flag.js'

export default class MembersAdd extends BaseCommand<typeof MembersAdd> {
  static override summary = 'add a person; the answer is a token they sign in with, valid for 7 days'
  static override args = {email: Args.string({description: 'address of the person', required: true})}
  static override flags = {name: string({description: 'name of the person; the address up to the @ unless given'}), role: roleFlag}
  static override examples = [{description: 'add a colleague', command: `<%= config.bin %> <%= command.id %> kim@example.com --name 'Kim Doe' --role admin`}]
  static override fieldFlags = {email: 'EMAIL', name: '--name', role: '--role'}

  async run(): Promise<object> {
    const {email} = this.args
    const name = this.flags.name ?? email.split('@', 1)[0] ?? email
    const {role} = this.flags
    const {data} = await this.api.members.create({body: {email, name, ...(role !== undefined && {role: parseRole(role)})}}, {signal: this.signal})
    this.log(data.token)
    this.out.note(`${data.name} is ${data.role}; hand over this token, it is shown only now and ends ${data.tokenExpiresAt}`)
    const {baseUrl} = await this.target()
    this.out.note(`they sign in with: ${this.config.bin} login --url ${baseUrl}`)
    return data
  }
}
