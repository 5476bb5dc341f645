import {Fault} from '../../../../src/contract/faults.js'
import type {RegistryLogin} from '../engine.js'
import type {EngineCalls} from '../engine-calls.js'
import {parseImageRef} from '../image-ref.js'
import {pullFault} from '../pull-faults.js'
import {textLines} from '../text-lines.js'
import type {CliParts} from './docker-cli.js'

// The login lives in a folder of this one command, and comes to it over stdin.
const loginScript = `umask 077
d=$(mktemp -d) || exit 1
trap 'rm -rf "$d"' EXIT
trap 'exit 1' HUP INT TERM
cat >"$d/config.json" && DOCKER_CONFIG=$d docker pull "$1"`

const plainScript = 'exec docker pull "$1"'

export function pullByCli({subject, runner, sudo, env}: CliParts, image: EngineCalls['image']): EngineCalls['pull'] {
  return async (ref, {signal, login, onLine}) => {
    const {repository, version} = parseImageRef(ref)
    const name = `${repository}${version.includes(':') ? '@' : ':'}${version}`
    const lines = textLines(onLine)
    let stderr = ''
    const {exitCode} = await runner.exec(['/bin/sh', '-c', login === undefined ? plainScript : loginScript, 'sh', name], {
      signal, sudo, env, ...(login === undefined ? {} : {input: toConfig(login)}),
      onOutput(stream, bytes) {
        if (stream === 'stdout') lines.take(bytes)
        else stderr = (stderr + bytes.toString('utf8')).slice(-4000)
      },
    })
    lines.end()
    if (exitCode !== 0) throw pullFault({serverId: subject.serverId, serverName: subject.name, ref, hasLogin: login !== undefined}, stderr.trim().split('\n').at(-1) || `docker pull ended with ${exitCode}`)
    const facts = await image(ref, {signal})
    if (facts === undefined) throw new Fault('NOT_FOUND', `${ref} went away right after it was pulled`, {details: {serverId: subject.serverId, image: ref}})
    return facts
  }
}

/** The configuration file of the client with one login. */
export function toConfig({server, username, password}: RegistryLogin): string {
  const key = server === 'docker.io' || server === 'index.docker.io' ? 'https://index.docker.io/v1/' : server
  return JSON.stringify({auths: {[key]: {auth: Buffer.from(`${username}:${password}`).toString('base64')}}})
}
