import type {DurableCommand, DurableEnd, DurableRunner, DurableStream} from '../../../daemon/servers/runner.js'

export interface Outcome {
  readonly end: DurableEnd
  readonly output: Buffer
  readonly stderr: Buffer
  readonly startedAt: string | null
}

export function durableCommand(id: string, script: string, more: Partial<DurableCommand> = {}): DurableCommand {
  return {id, script, env: {}, timeoutMs: null, killGraceMs: 1000, outputLimitBytes: 256 * 1024 * 1024, separateStderr: false, ...more}
}

export interface FollowedRun {
  readonly done: Promise<Outcome>
  readonly taken: {output: Buffer[]; stderr: Buffer[]}
  readonly started: Promise<string>
}

/** Takes in a run and checks on the way that every chunk begins where the one before it ended. */
export function followRun(
  begin: (options: Parameters<DurableRunner['run']>[1]) => Promise<DurableEnd>,
  from: Readonly<Record<DurableStream, number>> = {output: 0, stderr: 0},
  signal: AbortSignal = AbortSignal.timeout(60_000),
): FollowedRun {
  const taken = {output: [] as Buffer[], stderr: [] as Buffer[]}
  const position = {...from}
  let startedAt: string | null = null
  let tellStarted: (at: string) => void = () => undefined
  const started = new Promise<string>((resolve) => (tellStarted = resolve))
  const done = begin({
    from,
    signal,
    onStarted(at) {
      startedAt = at
      tellStarted(at)
    },
    async onChunk(chunk) {
      if (chunk.offset !== position[chunk.stream]) throw new Error(`chunk at ${chunk.offset}, expected ${position[chunk.stream]}`)
      position[chunk.stream] += chunk.bytes.length
      taken[chunk.stream].push(chunk.bytes)
    },
  }).then((end) => ({end, output: Buffer.concat(taken.output), stderr: Buffer.concat(taken.stderr), startedAt}))
  return {done, taken, started}
}

export function runDurably(runner: DurableRunner, command: DurableCommand): Promise<Outcome> {
  return followRun((options) => runner.run(command, options)).done
}
