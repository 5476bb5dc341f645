import * as Args from '@oclif/core/args'
import {boolean} from '@oclif/core/flags'
import {BaseCommand} from '../../src/cli/base-command.js'
import {confirmHostKeys, unreachable} from '../../src/cli/confirm-host-key.js'
import {connectionFieldFlags, connectionFlags, parseAddress, readConnection, type ConnectionInput} from '../../src/cli/connection-input.js'
import {serverName} from '../../src/cli/find-by-name.js'
import {yesFlag} from '../../src/cli/global-flags.js'
import {Fault} from '../../src/contract/faults.js'

const testTimeoutMs = 120_000

export default class ServersAdd extends BaseCommand<typeof ServersAdd> {
  static override summary = 'add an SSH server, after its host key was confirmed and the connection tried'
  static override args = {address: Args.string({description: '[user@]host[:port]', required: true})}
  static override flags = {
    ...connectionFlags,
    'no-test': boolean({description: 'add it without trying the connection; needs --host-key', dependsOn: ['host-key']}),
    yes: yesFlag,
  }
  static override examples = [
    {description: 'with a key of this machine', command: '<%= config.bin %> <%= command.id %> deploy@203.0.113.7 --name web-1 --key-file ~/.ssh/id_ed25519'},
    {description: 'in a script', command: 'cat password | <%= config.bin %> <%= command.id %> root@203.0.113.7 --name web-1 --password-stdin --host-key SHA256:…'},
    {description: 'through a jump host', command: '<%= config.bin %> <%= command.id %> root@10.0.0.7 --name web-1 --agent --jump-host deploy@203.0.113.1'},
  ]
  static override fieldFlags = connectionFieldFlags

  async run(): Promise<object> {
    const given = await readConnection(this.flags, this.prompts)
    const input = {...parseAddress(this.args.address), ...given}
    const {sshHost, sshAuthMethod} = input
    if (sshHost === undefined) throw new Fault('USAGE', 'the address is missing')
    if (sshAuthMethod === undefined) throw new Fault('USAGE', 'how to sign in is missing: give --key-file, --key-path, --password-stdin or --agent')
    const keys = this.flags['no-test'] ? {} : await this.#confirm({...input, sshHost})
    const server = await this.api.servers.create({body: {...input, ...keys, sshHost}}, {signal: this.signal, timeoutMs: testTimeoutMs})
    this.log(`${serverName(server)} is added: ${server.id}`)
    if (server.hostKeyStatus === 'unverified') this.out.warn(`its host key is not confirmed yet: ${this.config.bin} servers confirm-key ${server.id}`)
    return server
  }

  async #confirm(body: ConnectionInput & {sshHost: string}): Promise<ConnectionInput> {
    const name = body.name ?? body.sshHost
    const progress = this.out.progress(`connecting to ${name}`)
    const test = await this.api.servers.testConnection({body}, {signal: this.signal, timeoutMs: testTimeoutMs}).finally(() => progress.end())
    if (!test.ok && (body.hostKeyFingerprint !== undefined || test.code !== 'host_key_unknown')) throw unreachable(name, test)
    if (body.hostKeyFingerprint !== undefined) return {}
    return confirmHostKeys({name, test, pinned: null, yes: this.flags.yes}, this.out, this.prompts)
  }
}
