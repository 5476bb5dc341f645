import {createPaint, hasColour, type ColourSwitches, type Paint} from './colour.js'
import type {Environment} from '../config/environment.js'
import {toPrintableLines} from './display-width.js'
import type {Io, OutputStream} from './io.js'
import {renderFields, renderTable, type Cell, type Column, type TableView} from './table.js'

export interface OutputOptions extends ColourSwitches {
  readonly quiet: boolean
  readonly verbose: boolean
}

const defaultWidth = 80

/** Where a command writes: the answer on stdout, everything else on stderr. With `--json` stdout belongs to the one document. */
export class Output {
  readonly paint: Paint
  readonly paintNote: Paint
  readonly hasColour: boolean
  readonly #io: Io
  readonly #options: OutputOptions
  readonly #ci: boolean

  constructor(io: Io, options: OutputOptions, environment: Pick<Environment, 'noColor' | 'forceColor' | 'dumbTerminal' | 'ci'>) {
    this.#io = io
    this.#options = options
    this.#ci = environment.ci
    this.hasColour = hasColour(io.stdout.isTTY === true, options, environment)
    this.paint = createPaint(this.hasColour)
    this.paintNote = createPaint(hasColour(io.stderr.isTTY === true, options, environment))
  }

  get json(): boolean {
    return this.#options.json
  }

  /** Someone looks at the answer. */
  get terminal(): boolean {
    return this.#io.stdout.isTTY === true
  }

  /** Someone can be asked, and views may redraw. */
  get interactive(): boolean {
    // A terminal that does not know its width can not be drawn on.
    const hasWidth = (this.#io.stdout.columns ?? 0) > 0
    return this.terminal && hasWidth && this.#io.stdin.isTTY === true && !this.#ci && !this.json
  }

  get view(): TableView {
    return {terminal: this.terminal, width: this.#io.stdout.columns || defaultWidth, nowMs: this.#io.now(), paint: this.paint}
  }

  /** A line of the answer. */
  print(text: string): void {
    if (!this.json) this.#io.stdout.write(`${text}\n`)
  }

  /** Bytes of the answer as they are, or what a command elsewhere says on its stderr, waiting for a slow reader. */
  async write(bytes: Uint8Array | string, stream: 'stdout' | 'stderr' = 'stdout'): Promise<void> {
    await writeAll(this.#io[stream], bytes)
  }

  table<T>(columns: readonly Column<T>[], rows: readonly T[], whenEmpty: string): void {
    if (this.json) return
    if (rows.length === 0) this.note(whenEmpty)
    else this.#io.stdout.write(renderTable(columns, rows, this.view))
  }

  fields(fields: readonly (readonly [string, Cell])[]): void {
    if (!this.json) this.#io.stdout.write(renderFields(fields, this.view))
  }

  /** One object of a stream of objects. */
  emit(value: object): Promise<void> {
    return writeAll(this.#io.stdout, `${JSON.stringify(value)}\n`)
  }

  /** What a person may want to know; dropped with `--quiet`. */
  note(text: string): void {
    if (!this.#options.quiet) this.#io.stderr.write(`${text}\n`)
  }

  warn(text: string): void {
    this.#io.stderr.write(`${this.paintNote('warning', 'warning:')} ${toPrintableLines(text)}\n`)
  }

  detail(text: string): void {
    if (this.#options.verbose) this.#io.stderr.write(`${this.paintNote('hint', text)}\n`)
  }

  /** What takes over a second: redrawn on a terminal, elsewhere a line at its start and one at its end. */
  progress(text: string): Progress {
    const live = this.#io.stderr.isTTY === true && !this.#ci && !this.json && !this.#options.quiet
    if (!live) {
      this.note(text)
      return {update: () => undefined, end: (last) => (last === undefined ? undefined : this.note(last))}
    }
    const draw = (line: string) => void this.#io.stderr.write(`\r\u001B[2K${line}`)
    draw(text)
    return {update: draw, end: (last) => draw(last === undefined ? '' : `${last}\n`)}
  }
}

export interface Progress {
  update(text: string): void
  end(last?: string): void
}

// A reader that went away ends the waiting too; the base command hears of it by the stream's error.
function writeAll(stream: OutputStream, data: Uint8Array | string): Promise<void> {
  return new Promise((resolve) => {
    if (stream.write(data)) return resolve()
    const done = () => {
      stream.removeListener('error', done)
      resolve()
    }
    stream.once('drain', done)
    stream.on('error', done)
  })
}
