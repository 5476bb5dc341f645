import path from 'node:path'
import {BaseCommand} from '../../src/cli/base-command.js'
import {homeFlag} from '../../src/cli/home-flag.js'
import {createClient} from '../../src/client/client.js'
import {findDaemon} from '../../src/config/daemon-record.js'
import {Fault} from '../../src/contract/faults.js'

const answerTimeoutMs = 5000

export default class DaemonStatus extends BaseCommand<typeof DaemonStatus> {
  static override summary = 'tell whether a daemon runs on this machine; ends with 1 where none does'
  static override flags = {home: homeFlag}
  static override examples = [{description: 'is it there?', command: '<%= config.bin %> <%= command.id %>'}]

  async run(): Promise<object> {
    const home = path.resolve(this.flags.home ?? this.paths.home)
    const daemon = await findDaemon(home)
    if (daemon === undefined) throw new Fault('DAEMON_NOT_RUNNING', `no daemon runs with the home ${home}`, {details: {home}, suggestions: ['daemon start']})
    const client = createClient({connect: () => Promise.resolve({baseUrl: daemon.url, token: undefined}), userAgent: this.userAgent, timeoutMs: answerTimeoutMs})
    await client.health.live({}, {signal: this.signal})
    this.out.fields([
      ['address', daemon.url],
      ['process', daemon.pid],
      ['home', home],
      ['version', daemon.version],
      ['running since', daemon.startedAt],
    ])
    return {running: true, home, ...daemon}
  }
}
