import {BaseCommand} from '../src/cli/base-command.js'

export default class Whoami extends BaseCommand<typeof Whoami> {
  static override summary = 'show who the token acts for and what it may do'
  static override examples = [
    {description: 'show the person, the organization and the token', command: '<%= config.bin %> <%= command.id %>'},
    {description: 'for a script', command: '<%= config.bin %> <%= command.id %> --json'},
  ]

  async run(): Promise<object> {
    const {data} = await this.api.auth.whoami({}, {signal: this.signal})
    const {user, organization, credential} = data
    this.out.fields([
      ['person', `${user.name} <${user.email}>`],
      ['organization', `${organization.name} (${organization.id})`],
      ['role', data.role],
      ['signed in with', `${credential.kind} ${credential.name} (${credential.id})`],
      ['may change things', !credential.readOnly],
      ['limited to', credential.scoped ? credential.grants.map((grant) => `${grant.resourceType}:${grant.resourceId}:${grant.permissions.join(',')}`).join(' ') : 'what the role may do'],
      ['ends', credential.expiresAt ?? 'never'],
    ])
    return data
  }
}
