import {invalidInput} from '../../../src/contract/faults.js'

export interface JumpHost {
  readonly user: string | null
  readonly host: string
  readonly port: number
}

/** A jump host as written, or the id of a server whose own connection is used. */
export type JumpStep = JumpHost | {readonly serverId: string}

export interface SshArgs {
  readonly jump: string | null
  readonly port: number | null
  readonly connectTimeoutSeconds: number | null
  readonly serverAliveSeconds: number | null
}

const maxJumps = 8
const jumpPattern = /^(?:(?<user>[A-Za-z0-9_][A-Za-z0-9._@\\-]{0,63})@)?(?:\[(?<v6>[0-9A-Fa-f:.%a-z]+)\]|(?<host>[A-Za-z0-9_][A-Za-z0-9._-]{0,252}))(?::(?<port>\d{1,5}))?$/

/** `[user@]host[:port]`, comma separated, in the order they are passed; or ids of servers. */
export function parseJumpHosts(text: string, path = '/sshJumpHost'): JumpStep[] {
  const steps = text.split(',').map((part) => parseJumpStep(part.trim(), path))
  if (steps.length > maxJumps) throw invalidInput([{path, message: `names ${steps.length} jump hosts; ${maxJumps} are the most`}])
  return steps
}

function parseJumpStep(text: string, path: string): JumpStep {
  if (/^srv_[A-Za-z0-9_-]+$/.test(text)) return {serverId: text}
  const groups = jumpPattern.exec(text)?.groups
  const host = groups?.['v6'] ?? groups?.['host']
  const port = groups?.['port'] === undefined ? 22 : Number(groups['port'])
  if (groups === undefined || host === undefined || port < 1 || port > 65_535) {
    throw invalidInput([{path, message: `${JSON.stringify(text)} is not [user@]host[:port] nor the id of a server`}])
  }
  return {user: groups['user'] ?? null, host, port}
}

const path = '/sshArgs'
const refuse = (message: string) => invalidInput([{path, message}])

/** The few options of ssh that can not run a program or read a file. */
export function parseSshArgs(text: string): SshArgs {
  const words = text.trim() === '' ? [] : text.trim().split(/\s+/)
  let args: SshArgs = {jump: null, port: null, connectTimeoutSeconds: null, serverAliveSeconds: null}
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? ''
    const flag = word.slice(0, 2)
    if (!['-J', '-p', '-o'].includes(flag)) throw refuse(`${JSON.stringify(word)} is not allowed; only -J, -p and -o with ProxyJump, ConnectTimeout or ServerAliveInterval are`)
    const value = word.length > 2 ? word.slice(2) : words[++index]
    if (value === undefined) throw refuse(`${flag} needs a value`)
    args = withOption(args, flag === '-J' ? `ProxyJump=${value}` : flag === '-p' ? `Port=${value}` : value, flag)
  }
  return args
}

function withOption(args: SshArgs, option: string, flag: string): SshArgs {
  const [name = '', value = ''] = splitOnce(option, '=')
  switch (name.toLowerCase()) {
    case 'proxyjump':
      parseJumpHosts(value, path)
      return {...args, jump: value}
    case 'port':
      if (flag === '-o') break
      return {...args, port: wholeNumber(value, '-p', 1, 65_535)}
    case 'connecttimeout':
      return {...args, connectTimeoutSeconds: wholeNumber(value, 'ConnectTimeout', 1, 300)}
    case 'serveraliveinterval':
      return {...args, serverAliveSeconds: wholeNumber(value, 'ServerAliveInterval', 1, 3600)}
  }
  throw refuse(`-o ${name} is not allowed; only ProxyJump, ConnectTimeout and ServerAliveInterval are`)
}

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator)
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}

function wholeNumber(text: string, name: string, minimum: number, maximum: number): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (!(value >= minimum && value <= maximum)) throw refuse(`${name} takes a whole number from ${minimum} to ${maximum}`)
  return value
}
