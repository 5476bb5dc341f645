import {z} from 'zod'
import {EngineRefused} from '../ask-engine.js'
import {toContainerFacts} from '../container-facts.js'
import {readPrintedUsage} from '../container-usage.js'
import {labelFilters, mapSome, unlessThere, type EngineCalls} from '../engine-calls.js'
import {toImageFacts} from '../image-facts.js'
import {buildByCli} from './build.js'
import {cliFailure, dockerCli, mustRun, type CliParts} from './docker-cli.js'
import {pullByCli} from './pull.js'
import {sessionByCli} from './session.js'
import {eventsByCli, execByCli, logsByCli} from './streams.js'

// Where no connection to the engine is to be had: single commands of its client, whose JSON is that of the API.

const Volume = z.object({Name: z.string(), Labels: z.record(z.string(), z.string()).nullish()})
const Network = z.object({Id: z.string(), Name: z.string(), Labels: z.record(z.string(), z.string()).nullish(), Containers: z.record(z.string(), z.unknown()).nullish()})
const mostInspected = 200

export function cliCalls(parts: CliParts): EngineCalls {
  const cli = dockerCli(parts)
  const {subject} = parts
  const run = (args: readonly string[], signal: AbortSignal) => mustRun(cli, subject, args, {signal})
  const find = async (args: readonly string[], signal: AbortSignal): Promise<unknown> => {
    const result = await cli(args, {signal})
    if (result.exitCode === 0) return (JSON.parse(result.stdout) as unknown[])[0]
    return unlessMissing(cliFailure(subject, result))
  }
  // One may go between the two; the rest is printed all the same.
  const inspectAll = async (kind: string, names: readonly string[], signal: AbortSignal): Promise<unknown[]> => {
    const groups = Array.from({length: Math.ceil(names.length / mostInspected)}, (_, index) => names.slice(index * mostInspected, (index + 1) * mostInspected))
    const found = await mapSome(groups, async (group) => JSON.parse((await cli([kind, 'inspect', '--', ...group], {signal})).stdout || '[]') as unknown[])
    return found.flat()
  }
  const list = async (args: readonly string[], labels: Readonly<Record<string, string>>, signal: AbortSignal) =>
    (await run([...args, ...labelFilters(labels).flatMap((label) => ['--filter', `label=${label}`])], signal)).split('\n').filter((line) => line !== '')
  const grace = (seconds: number | undefined) => (seconds === undefined ? [] : ['--time', String(seconds)])
  const removal = async (args: readonly string[], signal: AbortSignal) => {
    const result = await cli(args, {signal})
    if (result.exitCode !== 0) unlessMissing(cliFailure(subject, result))
  }
  const image: EngineCalls['image'] = async (ref, {signal}) => {
    const found = await find(['image', 'inspect', '--', ref], signal)
    return found === undefined ? undefined : toImageFacts(found)
  }
  const exec = execByCli(parts)
  return {
    image,
    async tag(ref, tag, {signal}) {
      await run(['tag', ref, tag], signal)
    },
    async removeImage(ref, {signal}) {
      const result = await cli(['image', 'rm', '--', ref], {signal})
      // Gone, or something still uses it.
      const failure = result.exitCode === 0 ? undefined : cliFailure(subject, result)
      if (failure !== undefined && !(failure instanceof EngineRefused)) throw failure
    },
    async container(id, {signal}) {
      const found = await find(['container', 'inspect', '--', id], signal)
      return found === undefined ? undefined : toContainerFacts(found)
    },
    async containers(labels, {signal}) {
      const ids = await list(['ps', '--all', '--quiet', '--no-trunc'], labels, signal)
      return (await inspectAll('container', ids, signal)).map(toContainerFacts)
    },
    async usage(id, {signal}) {
      const [stats, inspected] = await Promise.all([run(['stats', '--no-stream', '--format', '{{json .}}', '--', id], signal), run(['container', 'inspect', '--size', '--', id], signal)])
      return readPrintedUsage(JSON.parse(stats), (JSON.parse(inspected) as unknown[])[0])
    },
    start: async (id, {signal}) => void (await run(['start', '--', id], signal)),
    stop: async (id, {signal, graceSeconds}) => void (await run(['stop', ...grace(graceSeconds), '--', id], signal)),
    restart: async (id, {signal, graceSeconds}) => void (await run(['restart', ...grace(graceSeconds), '--', id], signal)),
    remove: (id, {signal}) => removal(['rm', '--force', '--', id], signal),
    async volumes(labels, {signal}) {
      const names = await list(['volume', 'ls', '--quiet'], labels, signal)
      return z.array(Volume).parse(await inspectAll('volume', names, signal)).map(({Name, Labels}) => ({name: Name, labels: Labels ?? {}}))
    },
    removeVolume: (name, {signal}) => removal(['volume', 'rm', '--', name], signal),
    async networks(labels, {signal}) {
      const ids = await list(['network', 'ls', '--quiet', '--no-trunc'], labels, signal)
      return z.array(Network).parse(await inspectAll('network', ids, signal)).map(({Id, Name, Labels}) => ({id: Id, name: Name, labels: Labels ?? {}}))
    },
    async createNetwork(name, {labels, internal, signal}) {
      const words = labelFilters(labels).flatMap((label) => ['--label', label])
      await unlessThere(run(['network', 'create', ...(internal ? ['--internal'] : []), ...words, '--', name], signal))
    },
    async connect(network, containerId, {aliases, signal}) {
      await unlessThere(run(['network', 'connect', ...aliases.flatMap((alias) => ['--alias', alias]), '--', network, containerId], signal))
    },
    async removeNetwork(id, {signal, force = false}) {
      const found = force ? await find(['network', 'inspect', '--', id], signal) : undefined
      const members = found === undefined ? [] : Object.keys(Network.parse(found).Containers ?? {})
      for (const member of members) await removal(['network', 'disconnect', '--force', '--', id, member], signal)
      await removal(['network', 'rm', '--', id], signal)
    },
    pull: pullByCli(parts, image),
    build: buildByCli(parts, image),
    logs: logsByCli(parts),
    exec,
    openSession: sessionByCli(parts, exec),
    events: eventsByCli(parts),
  }
}

function unlessMissing(failure: Error): undefined {
  if (failure instanceof EngineRefused && failure.status === 404) return undefined
  throw failure
}
