import path from 'node:path'
import {boolean} from '@oclif/core/flags'
import {BaseCommand} from '../../src/cli/base-command.js'
import {toFault} from '../../src/cli/command-fault.js'
import {daemonFlags} from '../../src/cli/daemon-flags.js'
import {secretFromFile} from '../../src/cli/pairs.js'

const portsToTry = 20

export default class DaemonRun extends BaseCommand<typeof DaemonRun> {
  static override summary = 'run the daemon in the foreground until it is told to stop'
  static override description = 'Each flag is also an environment variable (MOORAGE_PORT) and a key of config.json in the home; the flag wins. The first start makes an owner and a token.'
  static override flags = {...daemonFlags, 'show-token': boolean({description: 'print the first token while it is the only one'})}
  static override examples = [
    {description: 'on this machine only', command: '<%= config.bin %> <%= command.id %>'},
    {description: 'as a service', command: '<%= config.bin %> <%= command.id %> --home /var/lib/moorage --host 0.0.0.0 --public-url https://ops.example.com'},
  ]

  async run(): Promise<undefined> {
    this.streaming = true
    try {
      await this.#serve()
    } catch (error) {
      const {code, message} = toFault(error)
      this.io.tellStarter?.({type: 'failed', code, message})
      throw error
    }
    return undefined
  }

  async #serve(): Promise<void> {
    const home = path.resolve(this.flags.home ?? this.paths.home)
    const daemon = await this.#start(home)
    const token = this.flags['show-token'] ? daemon.soleToken : this.out.terminal ? daemon.firstToken : null
    if (this.jsonEnabled()) await this.out.emit({type: 'ready', url: daemon.url, home})
    else this.log(`the daemon listens on ${daemon.url}, with its state in ${home}`)
    if (token !== null && !this.jsonEnabled()) this.log(`token: ${token}`)
    else if (daemon.firstToken !== null) this.out.note(`the first token is in ${path.join(home, 'local-token')}`)
    this.io.tellStarter?.({type: 'ready'})
    await daemon.done
    if (this.jsonEnabled()) await this.out.emit({type: 'result', stopped: true})
    else this.out.note('the daemon has stopped')
  }

  async #start(home: string) {
    const {startDaemonFrom} = await import('../../daemon/main.js')
    const flags = await this.#settings(home)
    const retries = this.flags['next-free-port'] ? portsToTry : 0
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await startDaemonFrom(flags, this.io.variables, {signal: this.signal})
      } catch (error) {
        const busy = busyPort(error)
        if (busy === undefined || attempt >= retries) throw error
        flags.port = attempt + 1 === retries ? '0' : String(busy + 1)
      }
    }
  }

  async #settings(home: string): Promise<Record<string, string | undefined>> {
    const {host, port, mode, jobs, store, 'public-url': publicUrl, 'time-zone': timeZone, 'token-prefix': tokenPrefix, 'catalog-url': catalogUrl, 'upload-limit-bytes': uploadLimit, 'ssh-key-root': roots} = this.flags
    const {'bootstrap-token-file': tokenFile, 'secret-key-file': keyFile} = this.flags
    return {
      home, host, mode, store, publicUrl, timeZone, tokenPrefix, catalogUrl,
      port: port === undefined ? undefined : String(port),
      uploadLimitBytes: uploadLimit === undefined ? undefined : String(uploadLimit),
      jobs: jobs === undefined ? undefined : jobs ? 'on' : 'off',
      sshKeyRoots: roots?.join(path.delimiter),
      bootstrapToken: tokenFile === undefined ? undefined : await secretFromFile(tokenFile, '--bootstrap-token-file'),
      secretKey: keyFile === undefined ? undefined : await secretFromFile(keyFile, '--secret-key-file'),
    }
  }
}

function busyPort(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined
  if ('code' in error && error.code === 'EADDRINUSE' && 'port' in error && typeof error.port === 'number') return error.port
  return busyPort(error.cause)
}
