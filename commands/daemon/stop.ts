import path from 'node:path'
import {BaseCommand} from '../../src/cli/base-command.js'
import {homeFlag} from '../../src/cli/home-flag.js'
import {stopDaemon} from '../../src/cli/stop-daemon.js'
import {findDaemon} from '../../src/config/daemon-record.js'

const defaultTimeoutMs = 60_000

export default class DaemonStop extends BaseCommand<typeof DaemonStop> {
  static override summary = 'stop the daemon of this machine; runs on servers go on'
  static override flags = {home: homeFlag}
  static override examples = [{description: 'stop it', command: '<%= config.bin %> <%= command.id %>'}]

  async run(): Promise<object> {
    const home = path.resolve(this.flags.home ?? this.paths.home)
    const daemon = await findDaemon(home)
    if (daemon === undefined) {
      this.out.note(`no daemon runs with the home ${home}`)
      return {stopped: false, home}
    }
    const progress = this.out.progress(`stopping the daemon at ${daemon.url}`)
    await stopDaemon(daemon, this.flags.timeout ?? defaultTimeoutMs, this.signal).finally(() => progress.end())
    this.log('the daemon has stopped')
    return {stopped: true, home, pid: daemon.pid}
  }
}
