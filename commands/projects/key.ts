import * as Args from '@oclif/core/args'
import {boolean, string} from '@oclif/core/flags'
import {BaseCommand} from '../../src/cli/base-command.js'
import {getProject} from '../../src/cli/find-by-name.js'
import {secretFromFile} from '../../src/cli/pairs.js'

export default class ProjectsKey extends BaseCommand<typeof ProjectsKey> {
  static override summary = 'make the deploy key of a project and show its public half'
  static override description = 'Add what is shown to the repository at your code host, for reading. A key that was there before is replaced.'
  static override args = {project: Args.string({description: 'id, slug or name of the project', required: true})}
  static override flags = {
    'key-file': string({description: 'take this private key instead of making one', helpValue: 'FILE'}),
    username: string({description: 'user name for https'}),
    'password-stdin': boolean({description: 'read a password or token for https from stdin'}),
  }
  static override examples = [{description: 'make a key', command: '<%= config.bin %> <%= command.id %> shop'}]
  static override fieldFlags = {privateKey: '--key-file', gitUsername: '--username', gitPassword: '--password-stdin'}

  async run(): Promise<object> {
    const {'key-file': file, username, 'password-stdin': fromStdin} = this.flags
    const privateKey = file === undefined ? undefined : `${await secretFromFile(file, '--key-file')}\n`
    const gitPassword = fromStdin ? await this.prompts.readInput('the password', '--password-stdin') : undefined
    const {id, slug} = await getProject(this.api, this.args.project, this.signal)
    const body = {...(privateKey !== undefined && {privateKey}), ...(username !== undefined && {gitUsername: username}), ...(gitPassword !== undefined && {gitPassword})}
    const {data} = await this.api.projects.deployKey({params: {id}, body}, {signal: this.signal})
    this.log(data.publicKey ?? `${slug} signs in with its password`)
    return data
  }
}
