import {open} from 'node:fs/promises'
import path from 'node:path'
import {boolean, integer} from '@oclif/core/flags'
import {BaseCommand} from '../../src/cli/base-command.js'
import {followFile, readLastLines} from '../../src/cli/follow-file.js'
import {homeFlag} from '../../src/cli/home-flag.js'
import {daemonLogFile} from '../../src/cli/local-daemon.js'
import {Fault} from '../../src/contract/faults.js'

export default class DaemonLogs extends BaseCommand<typeof DaemonLogs> {
  static override summary = 'show the log of a daemon that was started in the background'
  static override description = 'A daemon that runs as a service writes to the log of the system instead: journalctl -u moorage.'
  static override flags = {
    home: homeFlag,
    tail: integer({description: 'last lines to show (100 unless given)', helpValue: 'N', min: 0, default: 100}),
    follow: boolean({char: 'f', description: 'go on as more is written'}),
  }
  static override examples = [{description: 'watch it', command: '<%= config.bin %> <%= command.id %> --follow'}]

  async run(): Promise<undefined> {
    const file = daemonLogFile(path.resolve(this.flags.home ?? this.paths.home))
    const handle = await open(file).catch((error: unknown) => {
      throw new Fault('NOT_FOUND', `there is no log ${file}`, {details: {file}, suggestions: ['daemon status'], cause: error})
    })
    const {text, endOffset} = await readLastLines(handle, this.flags.tail).finally(() => handle.close())
    this.streaming = true
    await this.#show(text)
    if (this.flags.follow) for await (const bytes of followFile(file, endOffset, this.signal)) await this.#show(bytes.toString('utf8'))
    if (this.jsonEnabled()) await this.out.emit({type: 'result', file})
    return undefined
  }

  async #show(text: string): Promise<void> {
    if (!this.jsonEnabled()) return this.out.write(text)
    for (const line of text.split('\n')) if (line !== '') await this.out.emit({type: 'log', line})
  }
}
