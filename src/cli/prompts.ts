import {createInterface} from 'node:readline'
import {Writable} from 'node:stream'
import {Fault} from '../contract/faults.js'
import {toPrintableLines} from './display-width.js'
import type {Io} from './io.js'
import type {Output} from './output.js'

export interface Question {
  readonly text: string
  /** What to give where nobody can be asked. */
  readonly flag: string
  readonly default?: string
}

const largestInputBytes = 1_000_000

/** Asks a person, on stderr. Off a terminal it fails at once and names the flag. */
export class Prompts {
  readonly #io: Io
  readonly #output: Output
  readonly #signal: AbortSignal
  #stdinWentTo: string | undefined

  constructor(io: Io, output: Output, signal: AbortSignal) {
    this.#io = io
    this.#output = output
    this.#signal = signal
  }

  /** Whether a question would reach a person. */
  get canAsk(): boolean {
    return this.#io.stdin.isTTY === true && this.#io.stderr.isTTY === true && !this.#output.json
  }

  async ask({text, flag, default: preset}: Question): Promise<string> {
    this.#require(text, flag)
    const answer = (await this.#line(`${text}${preset === undefined || preset === '' ? '' : ` (${preset})`}: `, false)).trim()
    if (answer !== '') return answer
    if (preset !== undefined) return preset
    throw new Fault('USAGE', `${text} is needed: give ${flag}`)
  }

  /** What is typed is not shown. */
  async askSecret({text, flag}: Question): Promise<string> {
    this.#require(text, flag)
    const answer = await this.#line(`${text}: `, true)
    this.#io.stderr.write('\n')
    if (answer === '') throw new Fault('USAGE', `${text} is needed: give ${flag}`)
    return answer
  }

  /** Throws unless the answer is yes. `yes` is the flag of that name. */
  async confirm(text: string, yes: boolean): Promise<void> {
    if (yes) return
    if (!this.canAsk) throw new Fault('CONFIRMATION_REQUIRED', `${text} Nobody can be asked here: give --yes`)
    const answer = (await this.#line(`${text} [y/N] `, false)).trim().toLowerCase()
    if (answer !== 'y' && answer !== 'yes') throw new Fault('CONFIRMATION_REQUIRED', 'nothing was changed, as the answer was not yes')
  }

  /** All of stdin, without the line ending at its end; from a terminal one hidden line. */
  async readInput(text: string, flag: string): Promise<string> {
    if (this.#io.stdin.isTTY === true) return this.askSecret({text, flag})
    if (this.#stdinWentTo !== undefined) throw new Fault('USAGE', `stdin holds one thing: it was read for ${this.#stdinWentTo}, and ${flag} wants it too`)
    this.#stdinWentTo = flag
    const pieces: Buffer[] = []
    let sizeBytes = 0
    for await (const piece of this.#io.stdin) {
      const bytes = Buffer.from(piece as Uint8Array | string)
      sizeBytes += bytes.length
      if (sizeBytes > largestInputBytes) throw new Fault('USAGE', `stdin holds more than ${largestInputBytes} bytes`)
      pieces.push(bytes)
    }
    const input = Buffer.concat(pieces).toString('utf8').replace(/\r?\n$/, '')
    if (input === '') throw new Fault('USAGE', `${text} is needed: stdin was empty, although ${flag} was given`)
    return input
  }

  #require(text: string, flag: string): void {
    if (!this.canAsk) throw new Fault('USAGE', `${text} is needed, and nobody can be asked here: give ${flag}`, {details: {flag}})
  }

  #line(asked: string, hidden: boolean): Promise<string> {
    const question = toPrintableLines(asked)
    const {stdin, stderr} = this.#io
    let muted = false
    const output = new Writable({
      write: (chunk: Buffer, _, done) => {
        if (!muted) stderr.write(chunk)
        done()
      },
    })
    const reader = createInterface({input: stdin, output, terminal: true})
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        // Before the closing, which counts as an empty answer.
        reject(this.#signal.reason)
        reader.close()
      }
      this.#signal.addEventListener('abort', onAbort, {once: true})
      // In raw mode the terminal hands over Ctrl-C as a key.
      reader.on('SIGINT', () => {
        reject(new Fault('INTERRUPTED', 'interrupted; nothing was changed'))
        reader.close()
      })
      reader.on('close', () => {
        this.#signal.removeEventListener('abort', onAbort)
        resolve('')
      })
      reader.question(question, (answer) => {
        resolve(answer)
        reader.close()
      })
      muted = hidden
    })
  }
}
