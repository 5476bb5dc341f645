import {Readable} from 'node:stream'
import {z} from 'zod'
import type {CommandInput} from '../../feed.js'
import type {RegistryLogin} from '../engine.js'
import {toKey} from '../registry-auth.js'

// The client is given a configuration of this one command, in a folder of its own: that of its user with our logins in it. It comes over stdin, before what
// the command itself reads. dd byte by byte: a program that reads ahead would take of that. Contexts and plugins are found beside it as ever.
// A shell that waits hears a signal at once, so that nothing stays behind.
const script = `umask 077
n=$1
shift
d=$(mktemp -d) || exit 1
trap 'rm -rf "$d"' EXIT
p=
trap 'kill "$p" 2>/dev/null; exit 1' HUP INT TERM
for f in "\${DOCKER_CONFIG:-$HOME/.docker}"/*; do
  case "$f" in */config.json) ;; *) [ ! -e "$f" ] || ln -s "$f" "$d"/ ;; esac
done
dd bs=1 count="$n" of="$d/config.json" 2>/dev/null || exit 1
exec 3<&0
DOCKER_CONFIG=$d "$@" <&3 3<&- &
p=$!
wait "$p"`

/** Prints the configuration of the user, or nothing. */
export const readConfigCommand = ['/bin/sh', '-c', 'cat "${DOCKER_CONFIG:-$HOME/.docker}/config.json" 2>/dev/null || true'] as const

/** A command of the client with a configuration of its own: the words to run and what they read. */
export function withConfig(words: readonly string[], config: string, input?: Readable): {readonly command: readonly string[]; readonly input: CommandInput} {
  const first = Buffer.from(config)
  const whole = input === undefined ? first : Readable.from(joined(first, input), {objectMode: false})
  return {command: ['/bin/sh', '-c', script, 'sh', String(first.length), ...words], input: whole}
}

async function* joined(first: Buffer, rest: Readable): AsyncGenerator<Buffer> {
  yield first
  for await (const piece of rest) yield piece as Buffer
}

const Config = z.looseObject({auths: z.record(z.string(), z.unknown()).nullish(), credsStore: z.string().nullish(), credHelpers: z.record(z.string(), z.string()).nullish()})

/** The configuration of a user with further logins, which win over his for their registries. */
export function mergeConfig(own: string, logins: readonly RegistryLogin[]): string {
  const config = Config.safeParse(parseJson(own)).data ?? {}
  const {auths, credsStore, credHelpers} = config
  const ours = logins.map(({server, username, password}): [string, object] => [toKey(server), {auth: Buffer.from(`${username}:${password}`).toString('base64')}])
  // Where programs keep the logins of the user, the client looks into this file only for registries that have none: the empty one.
  const helpers = credsStore || credHelpers ? {credHelpers: {...credHelpers, ...Object.fromEntries(ours.map(([key]) => [key, '']))}} : {}
  return JSON.stringify({...config, auths: {...auths, ...Object.fromEntries(ours)}, ...helpers})
}

// What is damaged is nothing to the client either.
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
