import type {Readable} from 'node:stream'
import type {ExecResult, Runner} from '../../runner.js'
import {EngineLost, EngineRefused} from '../ask-engine.js'
import type {RegistryLogin} from '../engine.js'
import {unavailable, reasonOf, type EngineSubject} from '../engine-faults.js'
import {mergeConfig, readConfigCommand, withConfig} from './client-config.js'

export interface CliWish {
  readonly signal: AbortSignal
  readonly input?: Readable
  /** Of registries, beside those that its user has there. */
  readonly logins?: readonly RegistryLogin[] | undefined
  readonly env?: Readonly<Record<string, string>>
  readonly onOutput?: (stream: 'stdout' | 'stderr', bytes: Buffer) => void
  readonly maxOutputBytes?: number
}

/** Runs the client of the engine once; answers as the command did. */
export type DockerCli = (args: readonly string[], wish: CliWish) => Promise<ExecResult>

export interface CliParts {
  readonly subject: EngineSubject
  readonly runner: Runner
  readonly sudo: boolean
  readonly env: Readonly<Record<string, string>>
}

const mostConfigBytes = 1024 * 1024

export function dockerCli({runner, sudo, env}: CliParts): DockerCli {
  // Through a shell, so that a program that is missing is an exit code on every kind of server.
  return async (args, {logins = [], ...wish}) => {
    const options = {maxOutputBytes: 64 * 1024 * 1024, ...wish, sudo, env: {...wish.env, ...env}}
    if (logins.length === 0) return runner.exec(['/bin/sh', '-c', 'exec "$@"', 'sh', 'docker', ...args], options)
    const {stdout} = await runner.exec(readConfigCommand, {signal: wish.signal, sudo, env, maxOutputBytes: mostConfigBytes})
    const {command, input} = withConfig(['docker', ...args], mergeConfig(stdout, logins), wish.input)
    return runner.exec(command, {...options, input})
  }
}

/** Words that name variables for the client, which takes the values from its environment; but for those that it is steered by itself. */
export function namedVariables(flag: string, values: Readonly<Record<string, string>>, {env}: Pick<CliParts, 'env'>): readonly string[] {
  return Object.entries(values).flatMap(([name, value]) => [flag, Object.hasOwn(env, name) || name.startsWith('DOCKER_') ? `${name}=${value}` : name])
}

/** The output of a command that has to succeed. */
export async function mustRun(cli: DockerCli, subject: EngineSubject, args: readonly string[], wish: CliWish): Promise<string> {
  const result = await cli(args, wish)
  if (result.exitCode !== 0) throw cliFailure(subject, result)
  return result.stdout
}

/** The client has one exit code for everything; what the engine said stands in its words. */
export function cliFailure(subject: EngineSubject, {stderr, exitCode}: Pick<ExecResult, 'stderr' | 'exitCode'>): Error {
  const words = stderr.trim()
  const lastLine = words.split('\n').at(-1)?.replace(/^Error(?: response from daemon)?: /, '') || `docker ended with ${exitCode ?? 'no exit code'}`
  if (/no such (container|image|volume|network|object|exec)|not found/i.test(words) && !/executable file not found/.test(words)) return new EngineRefused(404, lastLine)
  if (/^(?:unexpected )?EOF$|^error during connect/i.test(lastLine)) return new EngineLost('the engine hung up')
  const reason = /daemon socket|docker daemon at|permission denied while trying to connect/i.test(words) ? reasonOf(words) : undefined
  if (reason !== undefined) return unavailable(subject, reason, lastLine)
  return new EngineRefused(409, lastLine)
}
