import type {DurableChunk, DurableStream} from '../servers/runner.js'

/** Where the output of one attempt on one server goes. */
export interface AttemptOutput {
  /** Begins anew after what is stored, forgetting what was held back; answers where to follow from. */
  readonly begin: () => Readonly<Record<DurableStream, number>>
  readonly take: (chunk: DurableChunk) => Promise<void>
  /** The end of the command: stores what was held back, and on disk for good. `missing` bytes were left out by the server. */
  readonly finish: (missing: number) => Promise<void>
}
