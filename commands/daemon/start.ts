import path from 'node:path'
import {BaseCommand} from '../../src/cli/base-command.js'
import {daemonFlags, toArguments} from '../../src/cli/daemon-flags.js'
import {startLocalDaemon} from '../../src/cli/local-daemon.js'
import {findDaemon} from '../../src/config/daemon-record.js'

export default class DaemonStart extends BaseCommand<typeof DaemonStart> {
  static override summary = 'start the daemon in the background; nothing happens where it runs already'
  static override flags = daemonFlags
  static override examples = [{description: 'start it on a port of your choice', command: '<%= config.bin %> <%= command.id %> --port 4400'}]

  async run(): Promise<object> {
    const home = path.resolve(this.flags.home ?? this.paths.home)
    const running = await findDaemon(home)
    if (running !== undefined) {
      this.log(`the daemon runs already at ${running.url}`)
      return {started: false, home, ...running}
    }
    const progress = this.out.progress(`starting the daemon of ${home}`)
    const {home: _home, ...rest} = this.flags
    const record = await startLocalDaemon({
      home, program: this.programFile, flags: toArguments(rest), variables: this.io.variables, signal: this.signal,
      ...(this.flags.timeout !== undefined && {timeoutMs: this.flags.timeout}),
    }).finally(() => progress.end())
    this.log(`the daemon runs at ${record.url}`)
    this.out.note(`look at it with: ${this.config.bin} daemon status`)
    return {started: true, home, ...record}
  }
}
