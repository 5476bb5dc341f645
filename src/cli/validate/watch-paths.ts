import {watch, type FSWatcher} from 'node:fs'
import {stat} from 'node:fs/promises'
import path from 'node:path'

// Editors write a file in several steps, which arrive within a few milliseconds.
const quietMs = 50

/** Comes round at once, when it is listening, and then once for each burst of changes of definitions or articles under the paths, until the signal ends it. Told by the system, never asked for. */
export async function* watchPaths(paths: readonly string[], signal: AbortSignal): AsyncGenerator<void> {
  let wake: () => void = () => undefined
  let timer: NodeJS.Timeout | undefined
  let hasChanged = true
  const onChange = (): void => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      hasChanged = true
      wake()
    }, quietMs)
  }
  const watchers: FSWatcher[] = []
  const onEnd = (): void => wake()
  signal.addEventListener('abort', onEnd, {once: true})
  try {
    for (const one of paths) watchers.push(await watchOne(one, onChange))
    while (!signal.aborted) {
      const next = new Promise<void>((resolve) => (wake = resolve))
      if (!hasChanged) await next
      if (signal.aborted) return
      hasChanged = false
      yield
    }
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', onEnd)
    for (const watcher of watchers) watcher.close()
  }
}

// A file is watched through its folder, as editors put a new one in its place.
async function watchOne(given: string, onChange: () => void): Promise<FSWatcher> {
  const kind = await stat(given).catch(() => undefined)
  const isFile = kind?.isFile() === true
  const folder = isFile ? path.dirname(given) : kind?.isDirectory() === true ? given : fixedPart(given)
  const wanted = isFile ? path.basename(given) : undefined
  const watcher = watch(folder, {recursive: !isFile}, (_, name) => {
    if (name === null || (wanted === undefined ? /\.(?:json|md)$/.test(name) : name === wanted)) onChange()
  })
  // A folder that goes away is told by the next check.
  watcher.on('error', onChange)
  return watcher
}

/** The folder of a glob that holds all of its matches. */
function fixedPart(glob: string): string {
  const steps = glob.split('/')
  const first = steps.findIndex((step) => /[*?{}[\]!()]/.test(step))
  return steps.slice(0, first === -1 ? steps.length - 1 : first).join('/') || (glob.startsWith('/') ? '/' : '.')
}
