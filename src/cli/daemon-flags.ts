import {boolean, integer, string} from '@oclif/core/flags'

/** What an operator decides about a daemon; each is also an environment variable and a key of config.json. */
export const daemonFlags = {
  host: string({description: 'address to listen on (127.0.0.1 unless given)'}),
  port: integer({description: 'port to listen on, 0 for any free one (4400 unless given)', min: 0, max: 65_535}),
  'next-free-port': boolean({description: 'take the next free port where that one is busy'}),
  mode: string({description: 'kind of instance', options: ['selfhosted', 'desktop', 'cloud']}),
  'public-url': string({description: 'address that people and providers reach it at', helpValue: 'URL'}),
  jobs: boolean({description: 'whether schedules run', allowNo: true}),
  store: string({description: 'where it keeps everything: file', helpValue: 'STORE'}),
  home: string({description: 'folder for its state', helpValue: 'PATH'}),
  'time-zone': string({description: 'zone of schedules that name none', helpValue: 'ZONE'}),
  'token-prefix': string({description: 'first word of new tokens'}),
  'bootstrap-token-file': string({description: 'file that holds the first token, for provisioning', helpValue: 'FILE'}),
  'secret-key-file': string({description: 'file that holds the key that seals secrets', helpValue: 'FILE'}),
  'catalog-url': string({description: 'address that the catalog of apps is fetched from, instead of the bundled one alone', helpValue: 'URL'}),
  'upload-limit-bytes': integer({description: 'largest folder that may be uploaded, packed (300,000,000 unless given)', min: 1000}),
  'ssh-key-root': string({description: 'folder that SSH keys may be read from', helpValue: 'PATH', multiple: true, multipleNonGreedy: true}),
}

export interface DaemonFlagValues {
  readonly host?: string | undefined
  readonly port?: number | undefined
  readonly 'next-free-port'?: boolean | undefined
  readonly mode?: string | undefined
  readonly 'public-url'?: string | undefined
  readonly jobs?: boolean | undefined
  readonly store?: string | undefined
  readonly home?: string | undefined
  readonly 'time-zone'?: string | undefined
  readonly 'token-prefix'?: string | undefined
  readonly 'bootstrap-token-file'?: string | undefined
  readonly 'secret-key-file'?: string | undefined
  readonly 'catalog-url'?: string | undefined
  readonly 'upload-limit-bytes'?: number | undefined
  readonly 'ssh-key-root'?: string[] | undefined
}

/** The given flags as arguments again, for the process that is to run with them. */
export function toArguments(flags: DaemonFlagValues): string[] {
  return (Object.keys(daemonFlags) as (keyof DaemonFlagValues)[]).flatMap((name) => {
    const value = flags[name]
    if (value === undefined || (value === false && name !== 'jobs')) return []
    if (typeof value === 'boolean') return [value ? `--${name}` : `--no-${name}`]
    return Array.isArray(value) ? value.flatMap((one) => [`--${name}`, one]) : [`--${name}`, String(value)]
  })
}
