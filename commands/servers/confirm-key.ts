import * as Args from '@oclif/core/args'
import {string} from '@oclif/core/flags'
import {BaseCommand} from '../../src/cli/base-command.js'
import {confirmHostKeys} from '../../src/cli/confirm-host-key.js'
import {getServer, serverName} from '../../src/cli/find-by-name.js'
import {yesFlag} from '../../src/cli/global-flags.js'

export default class ServersConfirmKey extends BaseCommand<typeof ServersConfirmKey> {
  static override summary = 'confirm the host key of a server, or accept a changed one'
  static override args = {server: Args.string({description: 'id or name of the server', required: true})}
  static override flags = {
    'host-key': string({description: 'the host key to expect from now on', helpValue: 'SHA256:…'}),
    'jump-host-key': string({description: 'the host key to expect of each jump host, in order', helpValue: 'SHA256:…', multiple: true, multipleNonGreedy: true}),
    yes: yesFlag,
  }
  static override examples = [
    {description: 'see the key and confirm it', command: '<%= config.bin %> <%= command.id %> web-1'},
    {description: 'in a script', command: '<%= config.bin %> <%= command.id %> web-1 --host-key SHA256:…'},
  ]
  static override fieldFlags = {hostKeyFingerprint: '--host-key', jumpHostKeyFingerprints: '--jump-host-key'}

  async run(): Promise<object> {
    const server = await getServer(this.api, this.args.server, this.signal)
    const body = await this.#keys(server.id, serverName(server), server.hostKeyFingerprint)
    const confirmed = await this.api.servers.update({params: {id: server.id}, body}, {signal: this.signal})
    this.log(`the host key of ${serverName(confirmed)} is ${confirmed.hostKeyFingerprint ?? 'none'}`)
    return confirmed
  }

  async #keys(serverId: string, name: string, pinned: string | null): Promise<{hostKeyFingerprint: string; jumpHostKeyFingerprints?: string[]}> {
    const {'host-key': given, 'jump-host-key': jumps} = this.flags
    if (given !== undefined) return {hostKeyFingerprint: given, ...(jumps !== undefined && {jumpHostKeyFingerprints: jumps})}
    const test = await this.api.servers.testConnection({body: {serverId}}, {signal: this.signal, timeoutMs: 120_000})
    const keys = await confirmHostKeys({name, test, pinned, yes: this.flags.yes}, this.out, this.prompts)
    return keys.jumpHostKeyFingerprints.length > 0 ? keys : {hostKeyFingerprint: keys.hostKeyFingerprint}
  }
}
