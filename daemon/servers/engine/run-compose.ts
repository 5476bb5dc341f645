import type {ExecResult, Runner} from '../runner.js'
import {composeArguments} from './compose-arguments.js'
import {unavailable, type EngineSubject} from './engine-faults.js'
import type {EnginePlace} from './engine-place.js'
import {KeptOutput} from './kept-output.js'
import {textLines} from './text-lines.js'

export interface ComposeRun {
  readonly runner: Runner
  readonly subject: EngineSubject
  readonly place: EnginePlace
  readonly cwd: string
  readonly signal: AbortSignal
  readonly onLine?: ((line: string) => void) | undefined
}

/** Runs Compose; what it ends with is for the caller to judge. */
export async function runCompose(args: readonly string[], {runner, subject, place, cwd, signal, onLine}: ComposeRun): Promise<ExecResult> {
  const {command} = place.compose
  if (command === null) throw unavailable(subject, 'no_compose', 'neither `docker compose` nor `docker-compose` is installed there')
  const kept = new KeptOutput()
  const lines = {stdout: textLines(onLine ?? (() => undefined)), stderr: textLines(onLine ?? (() => undefined))}
  const result = await runner.exec(composeArguments(command, args), {
    signal, cwd, sudo: place.sudo, env: place.env,
    onOutput(stream, bytes) {
      kept.take(stream, bytes)
      lines[stream].take(bytes)
    },
  })
  lines.stdout.end()
  lines.stderr.end()
  return {...result, stdout: kept.text('stdout'), stderr: kept.text('stderr'), truncated: kept.truncated}
}
