import type {Service} from '../definition.js'
import type {PortMapping} from '../endpoints.js'
import type {Part} from '../../compose/interpolation.js'

/** A text with its references still in it. */
export type Parts = readonly Part[]

export interface DraftEntry {
  readonly key: string
  readonly parts: Parts
}

/** How a container is told what to run, with references still in it. */
export interface DraftWords {
  /** `argv`: exact words; `shell`: one text that a shell reads. */
  readonly form: 'argv' | 'shell'
  readonly words: readonly Parts[]
}

export interface DraftFileParts {
  readonly path: string
  readonly parts: Parts
}

/** A service on its way from Compose: what needs no placeholders is done, the rest still has its references. */
export interface DraftService {
  readonly name: string
  readonly done: Omit<Service, 'name'>
  readonly mappings: readonly PortMapping[]
  readonly web: readonly number[]
  readonly raw: readonly number[]
  readonly environment: readonly DraftEntry[]
  readonly command: DraftWords | undefined
  readonly entrypoint: DraftWords | undefined
  readonly test: DraftWords | undefined
  readonly files: readonly DraftFileParts[]
  /** Other names under which it is reached in the Compose file. */
  readonly aliases: readonly string[]
}
