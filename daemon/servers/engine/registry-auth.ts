import {Readable} from 'node:stream'
import type {CommandInput} from '../feed.js'
import type {RegistryLogin} from './engine.js'
import {defaultRegistry} from './image-ref.js'

// Logins of registries, as the API of the engine and the configuration file of its client want them.

/** URL-safe base64 of JSON, for the header of a pull. */
export function toAuthHeader({server, username, password}: RegistryLogin): string {
  return toUrlBase64({username, password, serveraddress: toKey(server)})
}

/** Logins for the images that a build starts from. */
export function toAuthsHeader(logins: readonly RegistryLogin[]): string {
  return toUrlBase64(Object.fromEntries(logins.map(({server, username, password}) => [toKey(server), {username, password}])))
}

// The client is given a configuration of this one command, in a folder of its own; it comes over stdin, before what the command itself reads.
// dd byte by byte: a program that reads ahead would take of that.
const script = `umask 077
n=$1
shift
d=$(mktemp -d) || exit 1
trap 'rm -rf "$d"' EXIT
trap 'exit 1' HUP INT TERM
dd bs=1 count="$n" of="$d/config.json" 2>/dev/null && DOCKER_CONFIG=$d "$@"`

/** A command of the client with logins: the words to run and what they read. */
export function withLogins(words: readonly string[], logins: readonly RegistryLogin[], input?: Readable): {readonly command: readonly string[]; readonly input: CommandInput} {
  const config = Buffer.from(toConfig(logins))
  const whole = input === undefined ? config : Readable.from(joined(config, input), {objectMode: false})
  return {command: ['/bin/sh', '-c', script, 'sh', String(config.length), ...words], input: whole}
}

async function* joined(first: Buffer, rest: Readable): AsyncGenerator<Buffer> {
  yield first
  for await (const piece of rest) yield piece as Buffer
}

function toConfig(logins: readonly RegistryLogin[]): string {
  return JSON.stringify({auths: Object.fromEntries(logins.map(({server, username, password}) => [toKey(server), {auth: Buffer.from(`${username}:${password}`).toString('base64')}]))})
}

// The engine and its client look for the login of Docker Hub under its first address.
function toKey(server: string): string {
  return server === defaultRegistry ? 'https://index.docker.io/v1/' : server
}

function toUrlBase64(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64').replaceAll('+', '-').replaceAll('/', '_')
}
