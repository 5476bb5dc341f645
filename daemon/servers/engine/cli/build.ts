import {Fault} from '../../../../src/contract/faults.js'
import {buildCpuShares} from '../build-cpu-shares.js'
import {BuildOutput} from '../build-lines.js'
import type {EngineCalls} from '../engine-calls.js'
import {dockerCli, namedVariables, type CliParts} from './docker-cli.js'

export function buildByCli(parts: CliParts, image: EngineCalls['image']): EngineCalls['build'] {
  const cli = dockerCli(parts)
  const {serverId, name: serverName} = parts.subject
  return async (context, {signal, dockerfile, tag, args, target, labels, noCache, logins, onLine}) => {
    const output = new BuildOutput(onLine)
    const {exitCode} = await cli(buildArguments({dockerfile, tag, target, labels, noCache, args: namedVariables('--build-arg', args, parts)}), {
      signal, input: context, logins, env: {...args, DOCKER_BUILDKIT: '0'}, onOutput: (_stream, bytes) => output.take(bytes),
    })
    if (exitCode !== 0) throw output.fault({serverId, serverName, tag}, undefined)
    output.end()
    const facts = await image(tag, {signal})
    if (facts === undefined) throw new Fault('NOT_FOUND', `${tag} went away right after it was built`, {details: {serverId, image: tag}})
    return facts
  }
}

export interface BuildWords {
  readonly dockerfile: string
  readonly tag: string
  readonly target: string | undefined
  readonly labels: Readonly<Record<string, string>>
  readonly noCache: boolean | undefined
  readonly args: readonly string[]
}

/** Arguments of `docker build` from stdin. */
export function buildArguments({dockerfile, tag, target, labels, noCache, args}: BuildWords): readonly string[] {
  return [
    'build', '--force-rm', '--cpu-shares', `${buildCpuShares}`, '--file', dockerfile, '--tag', tag,
    ...(target === undefined ? [] : ['--target', target]),
    ...(noCache === true ? ['--no-cache'] : []),
    ...Object.entries(labels).flatMap(([name, value]) => ['--label', `${name}=${value}`]),
    ...args,
    '-',
  ]
}
