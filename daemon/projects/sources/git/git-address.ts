import {sourceFault} from '../source-fault.js'

/** Where a repository is, taken apart. The login that may stand in an address is never part of `url`. */
export interface GitAddress {
  readonly transport: 'https' | 'http' | 'ssh' | 'git'
  /** As git is given it. */
  readonly url: string
  readonly hostname: string
  /** Scheme, host and port: what a login belongs to. */
  readonly origin: string
  readonly username: string | null
  readonly password: string | null
}

const hostPattern = /^(?:[A-Za-z0-9_](?:[A-Za-z0-9_.-]{0,252})|\[[0-9A-Fa-f:.]+\])$/
const userPattern = /^[A-Za-z0-9_.~+][A-Za-z0-9_.~+@-]{0,254}$/

/** Reads an address as people write it: https, http, ssh and git URLs, and `user@host:path`. */
export function parseGitAddress(text: string): GitAddress {
  const trimmed = text.trim()
  if (trimmed === '' || trimmed.startsWith('-') || /[\s\0-\x1f\x7f]/.test(trimmed)) throw refused(trimmed)
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed) ? parseUrl(trimmed) : parseShortForm(trimmed)
}

function parseUrl(text: string): GitAddress {
  if (!URL.canParse(text)) throw refused(text)
  const url = new URL(text)
  const transport = url.protocol.slice(0, -1)
  if (transport !== 'https' && transport !== 'http' && transport !== 'ssh' && transport !== 'git') throw refused(text)
  if (!hostPattern.test(url.hostname) || url.pathname.length < 2 || url.hash !== '' || url.pathname.startsWith('/-')) throw refused(text)
  const username = decode(url.username, text)
  const password = decode(url.password, text)
  if (transport === 'ssh' && username !== null && !userPattern.test(username)) throw refused(text)
  const user = transport === 'ssh' && username !== null ? `${username}@` : ''
  return {
    transport, hostname: url.hostname.toLowerCase(), origin: `${transport}://${url.host}`, url: `${transport}://${user}${url.host}${url.pathname}${url.search}`,
    username: transport === 'ssh' ? null : username, password: transport === 'ssh' ? null : password,
  }
}

// `host:path`, as ssh and scp have it. A path of this machine looks much the same, so it has to have the colon before any slash.
function parseShortForm(text: string): GitAddress {
  const match = /^(?:([^@:/]+)@)?(\[[^\]]+\]|[^:/@]+):(?!:)([^:].*)$/.exec(text)
  const [, user, host = '', path = ''] = match ?? []
  if (match === null || !hostPattern.test(host) || path.startsWith('-') || (user !== undefined && !userPattern.test(user))) throw refused(text)
  // One letter before a colon is a drive.
  if (user === undefined && host.length === 1) throw refused(text)
  const before = user === undefined ? '' : `${user}@`
  return {transport: 'ssh', hostname: host.toLowerCase(), origin: `ssh://${host}`, url: `${before}${host}:${path}`, username: null, password: null}
}

function decode(part: string, text: string): string | null {
  try {
    return part === '' ? null : decodeURIComponent(part)
  } catch (error) {
    throw refused(text, error)
  }
}

function refused(text: string, cause?: unknown) {
  const shown = text.replace(/\/\/[^/]*@/, '//').slice(0, 200)
  return sourceFault('address', `${JSON.stringify(shown)} is no address of a repository; use https://, ssh://, git:// or user@host:path`, {cause})
}

/** The address of a submodule, which may be relative to that of the repository it stands in. */
export function resolveSubmoduleUrl(parent: GitAddress, url: string): GitAddress {
  if (!/^\.\.?(\/|$)/.test(url)) return parseGitAddress(url)
  const [, base = '', path = ''] = /^([a-z]+:\/\/[^/]+\/|[^:/]+:)(.*)$/.exec(parent.url) ?? []
  const parts = path.replace(/\/+$/, '').split('/')
  for (const part of url.split('/')) {
    if (part === '' || part === '.') continue
    if (part !== '..') parts.push(part)
    else if (parts.pop() === undefined) throw refused(url)
  }
  return parseGitAddress(base + parts.join('/'))
}

/** Whether git takes a text for the name of a branch (git check-ref-format). */
export function isBranchName(name: string): boolean {
  if (name === '' || name === '@' || name.length > 250 || name.startsWith('-') || name.startsWith('/') || name.endsWith('/') || name.endsWith('.')) return false
  if (/[\0-\x20\x7f~^:?*[\\]|\.\.|@\{|\/\//.test(name)) return false
  return name.split('/').every((part) => !part.startsWith('.') && !part.endsWith('.lock'))
}

export const fullCommit = /^[0-9a-f]{40}$/
export const shortCommit = /^[0-9a-f]{4,39}$/
