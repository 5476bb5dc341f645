import {Fault} from '../../../../src/contract/faults.js'
import type {EngineCalls} from '../engine-calls.js'
import {parseImageRef} from '../image-ref.js'
import {pullFault} from '../pull-faults.js'
import {textLines} from '../text-lines.js'
import {dockerCli, type CliParts} from './docker-cli.js'

export function pullByCli(parts: CliParts, image: EngineCalls['image']): EngineCalls['pull'] {
  const {subject} = parts
  const cli = dockerCli(parts)
  return async (ref, {signal, login, onLine}) => {
    const {repository, version} = parseImageRef(ref)
    const name = `${repository}${version.includes(':') ? '@' : ':'}${version}`
    const lines = textLines(onLine)
    let stderr = ''
    const {exitCode} = await cli(['pull', name], {
      signal, ...(login !== undefined && {logins: [login]}),
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
