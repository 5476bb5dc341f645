import type {Clock} from '../../clock.js'
import type {Engine} from '../../servers/engine/engine.js'

export interface ContainerCommand {
  /** Shell text. */
  readonly command: string
  readonly cwd: string | undefined
  readonly timeoutMs: number
  readonly maxOutputBytes: number
}

export interface ContainerCommandResult {
  readonly exitCode: number | null
  readonly output: string
  readonly timedOut: boolean
  readonly truncated: boolean
  readonly durationMs: number
}

/** Runs shell text in a container. What takes too long is ended, and answered as such. */
export async function runInContainer({engine, clock}: {readonly engine: Engine; readonly clock: Clock}, containerId: string, wish: ContainerCommand & {readonly signal: AbortSignal}): Promise<ContainerCommandResult> {
  const {command, cwd, timeoutMs, maxOutputBytes, signal} = wish
  const limit = new AbortController()
  const stopClock = clock.after(timeoutMs, () => limit.abort(new Error('the command took too long')))
  const startedAt = clock.now()
  const took = () => Math.max(0, clock.now() - startedAt)
  try {
    // Both streams as one, in the order in which the command wrote them.
    const {exitCode, stdout, truncated} = await engine.exec(containerId, ['sh', '-c', 'exec 2>&1; eval "$1"', 'sh', command], {cwd, maxOutputBytes, signal: AbortSignal.any([signal, limit.signal])})
    return {exitCode, output: stdout, timedOut: false, truncated, durationMs: took()}
  } catch (error) {
    if (signal.aborted || !limit.signal.aborted) throw error
    return {exitCode: null, output: '', timedOut: true, truncated: false, durationMs: took()}
  } finally {
    stopClock()
  }
}
