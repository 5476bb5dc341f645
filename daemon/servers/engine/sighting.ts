import type {ComposeCommand} from './engine.js'

// One look at a server: who we are there, which sockets of engines are to be seen, which programs. A small script, so that it is one round trip.

export interface Sighting {
  readonly uid: number
  readonly user: string
  readonly home: string
  /** PATH for commands: that of the login and the usual places after it. */
  readonly path: string
  readonly hasClient: boolean
  /** The socket that DOCKER_HOST or the context of the user names, there or not. */
  readonly named: string | null
  /** What they name where it is no socket, such as tcp://…: only the client knows how to get there. */
  readonly elsewhere: string | null
  /** Sockets that this user may use, the best first. */
  readonly open: readonly string[]
  /** Sockets that are there for others. */
  readonly closed: readonly string[]
  readonly compose: KnownCompose
}

/** Compose takes up to a second to say its version: what it said counts for as long as its files are the same. */
export interface KnownCompose {
  readonly stamp: string
  readonly command: ComposeCommand | null
}

// Login scripts may print before it; what is ours has a mark. The client is asked for its context only where one is set: it takes its time.
export const lookScript = `known=$1
PATH="$PATH:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/snap/bin"
export PATH
open='' closed=''
say() { printf '@engine %s=%s\\n' "$1" "$2"; }
look() {
  [ -S "$1" ] || return 0
  if [ -r "$1" ] && [ -w "$1" ]; then open=yes; say open "$1"; else closed=yes; say closed "$1"; fi
}
compose() {
  set -- "$(command -v docker)" "$(command -v docker-compose)"
  for d in "\${DOCKER_CONFIG:-$HOME/.docker}" /usr/local/lib/docker /usr/local/libexec/docker /usr/lib/docker /usr/libexec/docker; do
    set -- "$@" "$d/cli-plugins/docker-compose"
  done
  stamp=$(ls -ldiL "$@" 2>/dev/null | cksum)
  say stamp "$stamp"
  [ "$stamp" != "$known" ] || return 0
  # Nobody is asked: without the plugin the client would first go to its engine, which may not answer.
  DOCKER_HOST=unix:///nowhere; export DOCKER_HOST
  if v=$(docker compose version --short 2>/dev/null) && [ -n "$v" ]; then say plugin "$v"
  elif v=$(docker-compose version --short 2>/dev/null) && [ -n "$v" ]; then say standalone "$v"
  fi
}
uid=$(id -u)
say uid "$uid"
say user "$(id -un)"
say home "$HOME"
say path "$PATH"
host=\${DOCKER_HOST-}
if command -v docker >/dev/null 2>&1; then
  say client yes
  if [ -z "$host" ] && { [ -n "\${DOCKER_CONTEXT-}" ] || grep -qs '"currentContext"' "\${DOCKER_CONFIG:-$HOME/.docker}/config.json"; }; then
    host=$(docker context inspect --format '{{.Endpoints.docker.Host}}' 2>/dev/null)
  fi
fi
case $host in
  '')
    run=\${XDG_RUNTIME_DIR:-/run/user/$uid}
    look /var/run/docker.sock
    look "$run/docker.sock"
    [ "$run" = "/run/user/$uid" ] || look "/run/user/$uid/docker.sock"
    look "$HOME/.docker/run/docker.sock" ;;
  unix://*)
    say named "\${host#unix://}"
    look "\${host#unix://}" ;;
  *)
    say elsewhere "$host" ;;
esac
# Whoever has to come back as root asks then.
[ -n "$closed" ] && [ -z "$open" ] && [ "$uid" != 0 ] || compose`

const linePattern = /^@engine ([a-z]+)=(.*)$/

/** Undefined where the script did not come to its end. */
export function parseSighting(output: string, known: KnownCompose | undefined): Sighting | undefined {
  const values = new Map<string, string[]>()
  for (const line of output.split('\n')) {
    const [, name, value] = linePattern.exec(line) ?? []
    if (name !== undefined && value !== undefined) values.set(name, [...(values.get(name) ?? []), value])
  }
  const first = (name: string) => values.get(name)?.[0]
  const [uid, home, path] = [first('uid'), first('home'), first('path')]
  if (uid === undefined || !/^\d+$/.test(uid) || home === undefined || path === undefined) return undefined
  return {
    uid: Number(uid),
    user: first('user') || uid,
    home,
    path,
    hasClient: first('client') !== undefined,
    named: first('named') ?? null,
    elsewhere: first('elsewhere') ?? null,
    open: values.get('open') ?? [],
    closed: values.get('closed') ?? [],
    compose: known !== undefined && first('stamp') === known.stamp ? known : {
      stamp: first('stamp') ?? '',
      command: toCompose('plugin', first('plugin')) ?? toCompose('standalone', first('standalone')) ?? null,
    },
  }
}

function toCompose(kind: ComposeCommand['kind'], text: string | undefined): ComposeCommand | undefined {
  const version = text === undefined ? undefined : /\d+\.\d+(?:\.\d+)?\S*/.exec(text)?.[0]
  return version === undefined ? undefined : {kind, version}
}
