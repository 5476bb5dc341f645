import {boolean, integer, string} from '@oclif/core/flags'
import {readFile} from 'node:fs/promises'
import {Fault} from '../contract/faults.js'
import type {Prompts} from './prompts.js'

/** How a server is reached and signed in to. */
export const connectionFlags = {
  name: string({description: 'name of the server', helpValue: 'NAME'}),
  port: integer({description: 'SSH port (22 unless given)'}),
  user: string({description: 'user to sign in as (root unless given)'}),
  'key-file': string({description: 'private key on this machine; it is sent and sealed', helpValue: 'FILE', exclusive: ['key-path', 'password-stdin', 'agent']}),
  'key-path': string({description: 'private key on the machine of the daemon', helpValue: 'PATH', exclusive: ['password-stdin', 'agent']}),
  'passphrase-stdin': boolean({description: 'read the passphrase of the key from stdin'}),
  'password-stdin': boolean({description: 'sign in with a password, read from stdin', exclusive: ['agent']}),
  agent: boolean({description: 'sign in with the SSH agent of the daemon'}),
  'jump-host': string({
    description: 'reach it through this host: [user@]host[:port] or a server; several in order', helpValue: 'HOST', multiple: true, multipleNonGreedy: true,
  }),
  'ssh-args': string({description: 'further SSH options: -J, -p, -o ConnectTimeout=…', helpValue: 'ARGS'}),
  'host-key': string({description: 'the host key to expect, SHA256:…', helpValue: 'FINGERPRINT'}),
  'jump-host-key': string({description: 'the host key to expect of each jump host, in order, SHA256:…', helpValue: 'FINGERPRINT', multiple: true, multipleNonGreedy: true}),
}

export const connectionFieldFlags = {
  name: '--name', sshHost: 'HOST', sshPort: '--port', sshUser: '--user', sshPassword: '--password-stdin', sshKeyPath: '--key-path', sshPrivateKey: '--key-file',
  sshKeyPassphrase: '--passphrase-stdin', sshJumpHost: '--jump-host', sshArgs: '--ssh-args', hostKeyFingerprint: '--host-key', jumpHostKeyFingerprints: '--jump-host-key',
}

export interface ConnectionFlagValues {
  readonly name?: string | undefined
  readonly port?: number | undefined
  readonly user?: string | undefined
  readonly 'key-file'?: string | undefined
  readonly 'key-path'?: string | undefined
  readonly 'passphrase-stdin': boolean
  readonly 'password-stdin': boolean
  readonly agent: boolean
  readonly 'jump-host'?: string[] | undefined
  readonly 'ssh-args'?: string | undefined
  readonly 'host-key'?: string | undefined
  readonly 'jump-host-key'?: string[] | undefined
}

export interface ConnectionInput {
  name?: string
  sshHost?: string
  sshPort?: number
  sshUser?: string
  sshAuthMethod?: 'password' | 'key' | 'agent'
  sshPassword?: string
  sshKeyPath?: string
  sshPrivateKey?: string
  sshKeyPassphrase?: string
  sshJumpHost?: string
  sshArgs?: string
  hostKeyFingerprint?: string
  jumpHostKeyFingerprints?: string[]
}

/** The flags as the API takes them, with what has to be read read. Only what was given is there. */
export async function readConnection(flags: ConnectionFlagValues, prompts: Prompts): Promise<ConnectionInput> {
  const {name, port, user, 'jump-host': jumpHosts, 'ssh-args': sshArgs, 'host-key': hostKey, 'jump-host-key': jumpHostKeys} = flags
  return {
    ...(name !== undefined && {name}),
    ...(port !== undefined && {sshPort: port}),
    ...(user !== undefined && {sshUser: user}),
    ...(jumpHosts !== undefined && {sshJumpHost: jumpHosts.join(',')}),
    ...(sshArgs !== undefined && {sshArgs}),
    ...(hostKey !== undefined && {hostKeyFingerprint: hostKey}),
    ...(jumpHostKeys !== undefined && {jumpHostKeyFingerprints: jumpHostKeys}),
    ...(await readCredential(flags, prompts)),
  }
}

async function readCredential(flags: ConnectionFlagValues, prompts: Prompts): Promise<ConnectionInput> {
  if (flags.agent) return {sshAuthMethod: 'agent'}
  if (flags['password-stdin']) return {sshAuthMethod: 'password', sshPassword: await prompts.readInput('the password', '--password-stdin')}
  const passphrase = flags['passphrase-stdin'] ? {sshKeyPassphrase: await prompts.readInput('the passphrase', '--passphrase-stdin')} : {}
  if (flags['key-path'] !== undefined) return {sshAuthMethod: 'key', sshKeyPath: flags['key-path'], ...passphrase}
  if (flags['key-file'] !== undefined) return {sshAuthMethod: 'key', sshPrivateKey: await readKey(flags['key-file']), ...passphrase}
  return passphrase
}

async function readKey(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new Fault('USAGE', `--key-file: can not read ${file}`, {details: {file}, cause: error})
  })
  if (!text.includes('PRIVATE KEY')) throw new Fault('USAGE', `--key-file: ${file} holds no private key${text.startsWith('ssh-') ? '; this is the public one' : ''}`, {details: {file}})
  return text
}

/** `[user@]host[:port]`, an IPv6 address with a port in brackets. */
export function parseAddress(text: string): Pick<ConnectionInput, 'sshHost' | 'sshPort' | 'sshUser'> {
  const match = /^(?:(?<user>[^@\s]+)@)?(?<host>\[[0-9a-fA-F:.%\w]+\]|[^\s@[\]:]+)(?::(?<port>\d{1,5}))?$/.exec(text)
  const bare = /^(?:[^@\s]+@)?[0-9a-fA-F:]*:[0-9a-fA-F:]*:[0-9a-fA-F:.]*$/.test(text)
  if (bare) {
    const at = text.lastIndexOf('@')
    return {sshHost: text.slice(at + 1), ...(at > 0 && {sshUser: text.slice(0, at)})}
  }
  const {user, host, port} = match?.groups ?? {}
  if (host === undefined) throw new Fault('USAGE', `the address has the form [user@]host[:port], not ${JSON.stringify(text)}`)
  return {sshHost: host.replace(/^\[|\]$/g, ''), ...(user !== undefined && {sshUser: user}), ...(port !== undefined && {sshPort: Number(port)})}
}
