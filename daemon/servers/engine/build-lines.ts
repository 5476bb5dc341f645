import {Fault} from '../../../src/contract/faults.js'
import {isDiskFull, refused} from './engine-faults.js'
import {registryOf} from './image-ref.js'
import {pullReason} from './pull-faults.js'
import {textLines} from './text-lines.js'

const stepLine = /^(?:Step|STEP) (\d+\/\d+) ?: (.*)$/

// The engine paints what comes from stderr; colours of the command itself stay.
const engineColours = /^(?:\x1b\[0m)?(?:\x1b\[91m)?|\x1b\[0m$/g

/** Takes the output of a build and remembers where it stands. */
export class BuildOutput {
  readonly #lines
  #step: string | undefined
  #last: string | undefined
  /** Whether the present step complained of the disk: its exit code alone does not tell. */
  #sawDiskFull = false

  constructor(onLine: (line: string) => void) {
    this.#lines = textLines((coloured) => {
      const line = coloured.replace(engineColours, '')
      const found = stepLine.exec(line)
      if (found !== null) this.#step = `step ${found[1]}: ${found[2]}`
      this.#sawDiskFull = isDiskFull(line) || (this.#sawDiskFull && found === null)
      if (line.trim() === '') return
      this.#last = line
      onLine(line)
    })
  }

  take(piece: Buffer | string): void {
    this.#lines.take(piece)
  }

  end(): void {
    this.#lines.end()
  }

  /** The fault of a build that ended with these words of the engine; without them the last line has to do. */
  fault(subject: {readonly serverId: string; readonly serverName: string; readonly tag: string}, words: string | undefined, cause?: unknown): Fault {
    this.end()
    const text = (words ?? this.#last ?? 'the build ended').trim()
    const at = this.#step === undefined ? '' : ` at ${this.#step}`
    const details = {serverId: subject.serverId, image: subject.tag, step: this.#step ?? null, lastLine: this.#last ?? null}
    if (isDiskFull(text) || this.#sawDiskFull) return refused('CONFLICT', `the disk of ${subject.serverName} is full; the build failed${at}`, {...details, reason: 'disk_full'}, cause)
    return refused('CONFLICT', `the build failed${at}: ${text.slice(0, 1000)}${this.#loginHint(text)}`, {...details, reason: 'build_failed'}, cause)
  }

  // The image that a build starts from is pulled by the engine itself.
  #loginHint(text: string): string {
    const ref = /: FROM (?:--\S+ )*([^\s$]+)(?: |$)/.exec(this.#step ?? '')?.[1]
    return ref !== undefined && pullReason(text, true) === 'login_refused' ? `; \`registries add ${registryOf(ref)}\` keeps a login for ${registryOf(ref)}` : ''
  }
}
