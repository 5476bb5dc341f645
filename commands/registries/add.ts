import * as Args from '@oclif/core/args'
import {boolean, string} from '@oclif/core/flags'
import {BaseCommand} from '../../src/cli/base-command.js'

export default class RegistriesAdd extends BaseCommand<typeof RegistriesAdd> {
  static override summary = 'keep a login for a registry, in place of the one before'
  static override description = 'Deployments pull and build with it from then on. The password is sealed; servers get it with each pull and do not keep it.'
  static override args = {registry: Args.string({description: 'HOST or HOST:PORT, as references of its images begin; docker.io for Docker Hub', required: true})}
  static override flags = {
    username: string({description: 'user of the registry; asked for on a terminal unless given', helpValue: 'NAME'}),
    'password-stdin': boolean({description: 'read the password or access token from stdin'}),
  }
  static override examples = [
    {description: 'asked for the password', command: '<%= config.bin %> <%= command.id %> ghcr.io --username deploy'},
    {description: 'in a script', command: 'cat token | <%= config.bin %> <%= command.id %> registry.example.com:5000 --username deploy --password-stdin'},
  ]
  static override fieldFlags = {host: 'REGISTRY', username: '--username', password: '--password-stdin'}

  async run(): Promise<object> {
    const host = this.args.registry
    const username = this.flags.username ?? (await this.prompts.ask({text: `User of ${host}`, flag: '--username'}))
    const question = {text: `Password of ${username} at ${host}`, flag: '--password-stdin'}
    const password = await (this.flags['password-stdin'] ? this.prompts.readInput('the password', '--password-stdin') : this.prompts.askSecret(question))
    const {data} = await this.api.registries.save({body: {host, username, password}}, {signal: this.signal})
    this.log(`the login of ${data.username} at ${data.host} is kept`)
    return data
  }
}
