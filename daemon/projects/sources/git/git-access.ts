import {chmod, mkdtemp, rm, writeFile} from 'node:fs/promises'
import path from 'node:path'
import {shellCommand} from '../../../servers/shell-words.js'
import type {GitAccess} from '../source.js'
import {parseGitAddress, type GitAddress} from './git-address.js'

/** How a remote repository is reached, for as long as it is open. */
export interface OpenAccess {
  readonly address: GitAddress
  readonly hasLogin: boolean
  /** To stand before the words of a git command. */
  readonly config: readonly string[]
  readonly env: Readonly<Record<string, string>>
  close(): Promise<void>
}

export interface AccessFolders {
  /** For key files that live as long as a fetch. */
  readonly temporary: string
  /** The host keys that were seen first. */
  readonly knownHosts: string
}

/** Makes ready what git needs to get in. No secret stands in an argument or in the address: a key is in a file of the daemon alone, a login in the environment of git. */
export async function openAccess(access: GitAccess, folders: AccessFolders): Promise<OpenAccess> {
  const address = parseGitAddress(access.url)
  const nothing = {address, hasLogin: false, config: [], env: {GIT_ALLOW_PROTOCOL: allowedProtocols[address.transport]}, close: async () => undefined}
  if (address.transport === 'ssh') return openSsh(nothing, access.deployKey, folders)
  const password = access.password ?? address.password
  const username = access.username ?? address.username
  if (address.transport === 'git' || (password === null && username === null)) return nothing
  const login = {MOORAGE_GIT_ORIGIN: address.origin, MOORAGE_GIT_USERNAME: username ?? tokenUser(address), MOORAGE_GIT_PASSWORD: password ?? ''}
  return {...nothing, hasLogin: true, config: ['-c', `credential.helper=${helper}`], env: {...nothing.env, ...login}}
}

// A server may send an http client to https, and no other way.
const allowedProtocols = {https: 'https', http: 'http:https', ssh: 'ssh', git: 'git'} as const

// Code hosts take any name with a token, but for one.
function tokenUser({hostname}: GitAddress): string {
  return hostname === 'bitbucket.org' ? 'x-token-auth' : 'x-access-token'
}

// Run by git, which says on stdin whom it asks for: a server that redirects to another one does not get the login along.
const helper = [
  '!f() { test "$1" = get || return 0; scheme=; host=;',
  'while IFS="=" read -r key value; do case "$key" in protocol) scheme=$value;; host) host=$value;; esac; done;',
  'test "$scheme://$host" = "$MOORAGE_GIT_ORIGIN" || return 0;',
  'printf "username=%s\\npassword=%s\\n" "$MOORAGE_GIT_USERNAME" "$MOORAGE_GIT_PASSWORD"; }; f',
].join(' ')

async function openSsh(base: OpenAccess, deployKey: string | null, {temporary, knownHosts}: AccessFolders): Promise<OpenAccess> {
  const folder = deployKey === null ? null : await mkdtemp(path.join(temporary, 'key-'))
  const keyFile = folder === null ? '/dev/null' : path.join(folder, 'key')
  const close = async () => (folder === null ? undefined : rm(folder, {recursive: true, force: true}))
  try {
    if (deployKey !== null) await writeKey(keyFile, deployKey)
  } catch (error) {
    await close()
    throw error
  }
  return {...base, hasLogin: deployKey !== null, env: {...base.env, GIT_SSH_COMMAND: shellCommand(sshWords(keyFile, knownHosts))}, close}
}

async function writeKey(file: string, key: string): Promise<void> {
  await writeFile(file, `${key.trimEnd()}\n`, {mode: 0o600, flag: 'wx'})
  await chmod(file, 0o600)
}

/** Without the configuration and the keys of the user of the daemon; the key of a host is kept at first use and has to stay the same. */
export function sshWords(keyFile: string, knownHosts: string): string[] {
  const options = {
    BatchMode: 'yes', IdentitiesOnly: 'yes', IdentityAgent: 'none', IdentityFile: fileOption(keyFile), PreferredAuthentications: 'publickey', StrictHostKeyChecking: 'accept-new',
    UserKnownHostsFile: fileOption(knownHosts), GlobalKnownHostsFile: '/dev/null', HashKnownHosts: 'no', UpdateHostKeys: 'no', CheckHostIP: 'no', ConnectTimeout: '20', ServerAliveInterval: '15',
    ServerAliveCountMax: '4', ForwardAgent: 'no', ControlMaster: 'no', PermitLocalCommand: 'no', ProxyCommand: 'none', LogLevel: 'ERROR',
  }
  return ['ssh', '-F', 'none', ...Object.entries(options).flatMap(([name, value]) => ['-o', `${name}=${value}`])]
}

// ssh takes blanks for the end of a name, and % for the start of a token.
function fileOption(file: string): string {
  return `"${file.replaceAll('%', '%%')}"`
}
