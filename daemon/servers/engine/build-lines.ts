import {Fault} from '../../../src/contract/faults.js'
import {isDiskFull, refused} from './engine-faults.js'
import {textLines} from './text-lines.js'

const stepLine = /^(?:Step|STEP) (\d+\/\d+) ?: (.*)$/

/** Takes the output of a build and remembers where it stands. */
export class BuildOutput {
  readonly #lines
  #step: string | undefined
  #last: string | undefined

  constructor(onLine: (line: string) => void) {
    this.#lines = textLines((line) => {
      const found = stepLine.exec(line)
      if (found !== null) this.#step = `step ${found[1]}: ${found[2]}`
      if (line.trim() !== '') this.#last = line
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
    if (isDiskFull(text) || isDiskFull(this.#last ?? '')) return refused('CONFLICT', `the disk of ${subject.serverName} is full; the build failed${at}`, {...details, reason: 'disk_full'}, cause)
    return refused('CONFLICT', `the build failed${at}: ${text.slice(0, 1000)}`, {...details, reason: 'build_failed'}, cause)
  }
}
