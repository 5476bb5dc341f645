import {EngineLost, EngineRefused} from '../ask-engine.js'
import {labelFilters, type EngineCalls} from '../engine-calls.js'
import {toEngineEvent, watchedActions} from '../engine-events.js'
import {timedLines} from '../log-lines.js'
import {textLines} from '../text-lines.js'
import {cliFailure, dockerCli, mustRun, namedVariables, type CliParts} from './docker-cli.js'
import {jsonText} from './json-text.js'

export function logsByCli(parts: CliParts): EngineCalls['logs'] {
  const cli = dockerCli(parts)
  return async (id, {signal, follow, tail, since, onLine}) => {
    const lines = {stdout: timedLines('stdout', onLine), stderr: timedLines('stderr', onLine)}
    let stderr = ''
    const args = ['logs', '--timestamps', ...(follow ? ['--follow'] : []), ...(tail === undefined ? [] : ['--tail', String(tail)]), ...(since === undefined ? [] : ['--since', since]), '--', id]
    const result = await cli(args, {
      signal,
      onOutput(stream, bytes) {
        if (stream === 'stderr') stderr = (stderr + bytes.toString('utf8')).slice(-2000)
        lines[stream].take(bytes)
      },
    })
    lines.stdout.end()
    lines.stderr.end()
    if (result.exitCode !== 0) throw cliFailure(parts.subject, {...result, stderr: stderr.trim().split('\n').at(-1) ?? ''})
    // The client takes the loss of its engine for the end of the container.
    const isRunning = follow && (await mustRun(cli, parts.subject, ['container', 'inspect', '--format', '{{.State.Running}}', '--', id], {signal})).trim() === 'true'
    if (isRunning) throw new EngineLost('the engine ended the logs of a container that runs')
  }
}

export function execByCli(parts: CliParts): EngineCalls['exec'] {
  const cli = dockerCli(parts)
  return async (id, command, {signal, cwd, env = {}, user, maxOutputBytes = 1_000_000}) => {
    const args = ['exec', ...(cwd === undefined ? [] : ['--workdir', cwd]), ...(user === undefined ? [] : ['--user', user]), ...namedVariables('--env', env, parts), '--', id, ...command]
    const result = await cli(args, {signal, env, maxOutputBytes})
    // Its own failures end with 1 too; they are told apart by its words.
    const failure = result.exitCode === 1 && /^Error(?: response from daemon)?: /.test(result.stderr) ? cliFailure(parts.subject, result) : undefined
    if (failure instanceof EngineRefused && failure.status !== 404 && !/is not running|is paused/.test(failure.message)) return result
    if (failure !== undefined) throw failure
    return result
  }
}

export function eventsByCli(parts: CliParts): EngineCalls['events'] {
  return async function* (labels, {signal, onOpen}) {
    const filters = ['type=container', ...watchedActions.map((action) => `event=${action}`), ...labelFilters(labels).map((label) => `label=${label}`)]
    // Nobody says when it has begun to listen: those of the last moment come along.
    const args = ['docker', 'events', '--since', '2s', '--format', '{{json .}}', ...filters.flatMap((filter) => ['--filter', filter])]
    const stream = await parts.runner.open(args, {signal, sudo: parts.sudo, env: parts.env})
    onOpen?.()
    const waiting: unknown[] = []
    const lines = textLines((line) => waiting.push(jsonText(line)))
    try {
      for await (const piece of stream) {
        lines.take(piece as Buffer)
        for (const value of waiting.splice(0)) {
          const event = toEngineEvent(value)
          if (event !== undefined) yield event
        }
      }
    } finally {
      stream.destroy()
    }
    throw new EngineLost('the engine ended its events')
  }
}
