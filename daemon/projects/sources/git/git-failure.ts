import {Fault} from '../../../../src/contract/faults.js'
import {sourceFault, type SourceReason} from '../source-fault.js'
import type {GitAddress} from './git-address.js'

/** What we keep of a repository can not be used; fetching it anew helps. */
export class MirrorDamaged extends Error {}

export interface Attempt {
  readonly address: GitAddress
  readonly hasLogin: boolean
  readonly projectId: string
}

type Kind = Exclude<SourceReason, 'tag' | 'submodule' | 'folder' | 'upload' | 'changed' | 'empty' | 'timeout'> | 'disk' | 'mirror' | 'shallow'

// git tells only in words what went wrong; its messages are asked for in English. The first that fits counts: a broken connection breaks what was fetched, too.
const signs: readonly (readonly [Kind, RegExp])[] = [
  ['disk', /No space left on device|Disk quota exceeded/i],
  ['host-key-changed', /HOST IDENTIFICATION HAS CHANGED|Host key verification failed/i],
  ['host', /Could not resolve (?:host|proxy)|Name or service not known|unable to look up|Temporary failure in name resolution|No address associated/i],
  ['certificate', /certificate|SSL_ERROR|gnutls_handshake|TLS (?:connection|packet)|SSL routines|schannel/i],
  ['unreachable', /Connection (?:refused|timed out|reset|closed)|No route to host|Network is unreachable|Failed to connect|Couldn'?t connect|unable to connect|Operation (?:timed out|too slow)|timed out/i],
  ['program', /cannot run ssh|ssh: not found|git-remote-https?: not found|remote helper .* aborted/i],
  ['login', /could not read (?:Username|Password)|terminal prompts disabled|Authentication failed|Permission denied|Access denied|returned error: 40[13]|Too many authentication failures|invalid format|error in libcrypto/i],
  ['repository', /not found|does not appear to be a git repository|no such repository|repository not exported|could not be found|returned error: 404/i],
  ['branch', /couldn'?t find remote ref/i],
  ['commit', /not our ref|unadvertised object|no such remote ref/i],
  ['shallow', /does not support shallow|dumb http transport/i],
  ['address', /transport '.*' not allowed|protocol .* (?:not supported|disabled)|strange (?:hostname|pathname|port)/i],
  ['unreachable', /early EOF|RPC failed|unexpected disconnect|remote end hung up|returned error: 5\d\d|Could not read from remote/i],
  ['mirror', /\.lock'?: File exists|not a git repository|bad object|corrupt|object file .* is empty|missing (?:blob|tree|commit)|unable to read|index-pack|shallow file has changed|cannot lock ref|necessary objects|bad config|invalid object|pack has/i],
]

/** What a failed git tells. */
export function kindOfFailure(stderr: string): Kind {
  return signs.find(([, sign]) => sign.test(stderr))?.[0] ?? 'other'
}

/** The fault of a failed call of a remote repository. */
export function toGitFault(stderr: string, attempt: Attempt): Error {
  const kind = kindOfFailure(stderr)
  const cause = new Error(lastWords(stderr))
  if (kind === 'mirror') return new MirrorDamaged(cause.message, {cause})
  if (kind === 'disk') return diskFull(cause)
  const reason = kind === 'shallow' ? 'other' : kind
  return sourceFault(reason, `${attempt.address.url}: ${messageOf(reason, attempt, cause.message)}`, {details: {url: attempt.address.url}, suggestions: suggestionsOf(reason, attempt), cause})
}

export function diskFull(cause: Error): Fault {
  return new Fault('STORE_FULL', 'fetching the repository failed: the disk of the daemon is full', {cause})
}

function messageOf(reason: SourceReason, {address, hasLogin}: Attempt, words: string): string {
  switch (reason) {
    case 'host-key-changed':
      return `${address.hostname} answers with another host key than at first; if that is meant to be, delete its line in sources/known_hosts of the daemon's home`
    case 'host':
      return `the host name ${address.hostname} has no address`
    case 'unreachable':
      return `${address.hostname} can not be reached (${words})`
    case 'certificate':
      return `the certificate of ${address.hostname} is not trusted (${words})`
    case 'login':
      return hasLogin ? `${address.hostname} does not accept the ${address.transport === 'ssh' ? 'deploy key' : 'user name and password'}` : `${address.hostname} asks for a ${address.transport === 'ssh' ? 'deploy key' : 'login'}, and the project has none`
    case 'repository':
      return `${address.hostname} has no such repository, or hides it from who is not let in`
    case 'program':
      return `the machine of the daemon has no ${address.transport === 'ssh' ? 'ssh' : 'git that speaks HTTP'}`
    default:
      return words
  }
}

function suggestionsOf(reason: SourceReason, {projectId}: Attempt): string[] {
  if (reason === 'login') return [`api POST /api/projects/${projectId}/deploy-key`]
  if (reason === 'program') return ['doctor']
  return [`projects show ${projectId}`]
}

// The line that says most: what the other side said, else what git died of.
function lastWords(stderr: string): string {
  const lines = stderr.split(/[\r\n]+/).map((line) => line.trim()).filter((line) => line !== '' && !/^(?:Please make sure|and the repository exists|fatal: Could not read from remote)/.test(line))
  const said = lines.filter((line) => /^(?:fatal|error|remote|ERROR):/.test(line)).at(-1) ?? lines.at(-1) ?? 'git ended without a word'
  return said.replace(/^(?:fatal|error|remote|ERROR): */, '').slice(0, 300)
}
