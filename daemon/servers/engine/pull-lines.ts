import {z} from 'zod'

// The engine tells the progress of every layer many times a second; a log wants a line for each layer that is there, and what it came to.

const PullEvent = z.object({
  id: z.string().optional(),
  status: z.string().optional(),
  progressDetail: z.object({total: z.number().optional()}).optional(),
  error: z.string().optional(),
  errorDetail: z.object({message: z.string().optional()}).optional(),
})

/** Takes the events of a pull. `failure` is what the engine gave up with. */
export class PullProgress {
  readonly #onLine: (line: string) => void
  readonly #sizes = new Map<string, number>()
  readonly #done = new Set<string>()
  #failure: string | undefined
  #pulled = 0

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine
  }

  get failure(): string | undefined {
    return this.#failure
  }

  take(event: unknown): void {
    const {id, status = '', progressDetail, error, errorDetail} = PullEvent.catch({}).parse(event)
    if (error !== undefined) {
      this.#failure = errorDetail?.message ?? error
      return
    }
    const total = progressDetail?.total
    if (id !== undefined && status === 'Downloading' && total !== undefined) this.#sizes.set(id, total)
    else if (id !== undefined && (status === 'Pull complete' || status === 'Already exists')) this.#finish(id, status)
    else if (status.startsWith('Digest: ')) this.#onLine(status)
    else if (status.startsWith('Status: ')) this.#sum(status)
  }

  #finish(layer: string, status: string): void {
    if (this.#done.has(layer)) return
    this.#done.add(layer)
    const size = this.#sizes.get(layer)
    if (status === 'Pull complete') this.#pulled += size ?? 0
    this.#onLine(status === 'Already exists' ? `layer ${layer} is there already` : `layer ${layer} is complete${size === undefined ? '' : ` (${toSize(size)})`}`)
  }

  #sum(status: string): void {
    const layers = this.#done.size
    const what = layers === 0 ? '' : ` (${layers} layer${layers === 1 ? '' : 's'}, ${toSize(this.#pulled)} fetched)`
    this.#onLine(`${status.slice('Status: '.length)}${what}`)
  }
}

function toSize(bytes: number): string {
  if (bytes >= 1e9) return `${(bytes / 1e9).toFixed(1)} GB`
  if (bytes >= 1e6) return `${(bytes / 1e6).toFixed(1)} MB`
  return `${Math.ceil(bytes / 1e3)} kB`
}
