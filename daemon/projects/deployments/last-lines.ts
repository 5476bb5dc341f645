import type {Engine} from '../../servers/engine/engine.js'

const wanted = 20
const longestMs = 5_000

/** What a container said last; nothing where it can not be asked any more. */
export async function lastLines(engine: Engine, containerId: string, signal: AbortSignal): Promise<string[]> {
  const lines: string[] = []
  try {
    await engine.logs(containerId, {follow: false, tail: wanted, signal: AbortSignal.any([signal, AbortSignal.timeout(longestMs)]), onLine: ({text}) => lines.push(text)})
  } catch {
    // The failure that is being explained says more than this one.
  }
  return lines.slice(-wanted)
}
