import {string} from '@oclif/core/flags'
import {BaseCommand} from '../src/cli/base-command.js'
import {createClient} from '../src/client/client.js'
import {isLoopback, parseApiUrl} from '../src/client/api-url.js'
import {parseContextName, readContexts, withContext, writeContexts} from '../src/config/contexts.js'
import {parseToken} from '../src/config/environment.js'
import {Fault} from '../src/contract/faults.js'

export default class Login extends BaseCommand<typeof Login> {
  static override summary = 'sign in to an instance with an access token and keep it as a context'
  static override description = 'The token is read from stdin with --token-stdin, from MOORAGE_TOKEN, or asked for. It is checked before anything is kept.'
  static override flags = {
    name: string({description: 'name of the context to keep it as; default unless --context names one', helpValue: 'NAME'}),
  }
  static override examples = [
    {description: 'sign in and be asked for the token', command: '<%= config.bin %> <%= command.id %> --url https://ops.example.com'},
    {description: 'in a script, as the context production', command: 'cat token | <%= config.bin %> <%= command.id %> --url https://ops.example.com --name production --token-stdin'},
  ]

  async run(): Promise<object> {
    const contexts = await readContexts(this.paths.contextsFile)
    const name = parseContextName(this.flags.name ?? this.flags.context ?? 'default')
    const known = contexts.contexts[name]
    const url = this.flags.url ?? this.environment.url ?? known?.url ?? (await this.#askUrl())
    const token = await this.#token(url)
    const client = createClient({connect: () => Promise.resolve({baseUrl: url, token, organizationId: this.flags.organization}), userAgent: this.userAgent})
    const {data} = await client.auth.whoami({}, {signal: this.signal})
    const organization = this.flags.organization ?? this.environment.organization
    const context = {...known, url, token, ...(organization !== undefined && {organization})}
    await writeContexts(this.paths.contextsFile, withContext(contexts, name, context, true))
    if (url.startsWith('http:') && !isLoopback(new URL(url).host)) this.out.warn(`${url} is not encrypted: the token crosses the network in clear`)
    this.log(`signed in to ${url} as ${data.user.name}, organization ${data.organization.name}`)
    this.out.note(`kept as the context ${name} in ${this.paths.contextsFile}`)
    return {context: name, url, user: data.user, organization: data.organization, role: data.role}
  }

  async #askUrl(): Promise<string> {
    return parseApiUrl(await this.prompts.ask({text: 'Address of the instance', flag: '--url'}), 'the address')
  }

  async #token(url: string): Promise<string> {
    const given = this.flags['token-stdin'] ? await this.readTokenFromStdin() : this.environment.token
    const token = given ?? parseToken(await this.prompts.askSecret({text: `Access token for ${url}`, flag: '--token-stdin'}), 'the answer')
    if (token === undefined) throw new Fault('NOT_SIGNED_IN', 'no token was given')
    return token
  }
}
