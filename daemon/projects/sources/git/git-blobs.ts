import type {Readable} from 'node:stream'
import {sourceFault} from '../source-fault.js'
import type {GitProcess, GitProgram} from './git-program.js'

/** Reads contents out of a repository, one after another, through one process. */
export class GitBlobs {
  readonly #start: () => GitProcess
  #process: GitProcess | undefined
  #pieces: PieceReader | undefined

  constructor(git: GitProgram, gitDir: string, signal: AbortSignal) {
    this.#start = () => git.start({args: ['cat-file', '--batch'], gitDir, signal})
  }

  /** The content of an object. Has to be read to its end, or nothing more is read. */
  async *read(id: string): AsyncGenerator<Uint8Array> {
    this.#process ??= this.#start()
    this.#pieces ??= new PieceReader(this.#process.stdout)
    this.#process.stdin.write(`${id}\n`)
    const [, , size] = /^(\S+) blob (\d+)$/.exec(await this.#pieces.line()) ?? []
    if (size === undefined) throw sourceFault('changed', `the object ${id} is not kept any more; deploy again`)
    yield* this.#pieces.take(Number(size))
    await this.#pieces.line()
  }

  async close(): Promise<void> {
    await this.#process?.stop()
  }
}

/** Lines and counted bytes of a stream, in turn. */
class PieceReader {
  readonly #source: AsyncIterator<Buffer, undefined>
  #rest: Buffer = Buffer.alloc(0)

  constructor(source: Readable) {
    this.#source = source[Symbol.asyncIterator]() as AsyncIterator<Buffer, undefined>
  }

  async line(): Promise<string> {
    let end = this.#rest.indexOf(10)
    while (end < 0) {
      this.#rest = Buffer.concat([this.#rest, await this.#next()])
      end = this.#rest.indexOf(10)
    }
    const line = this.#rest.toString('utf8', 0, end)
    this.#rest = this.#rest.subarray(end + 1)
    return line
  }

  async *take(size: number): AsyncGenerator<Uint8Array> {
    for (let left = size; left > 0; ) {
      if (this.#rest.length === 0) this.#rest = await this.#next()
      const piece = this.#rest.subarray(0, left)
      this.#rest = this.#rest.subarray(piece.length)
      left -= piece.length
      yield piece
    }
  }

  async #next(): Promise<Buffer> {
    const next = await this.#source.next()
    if (next.done === true) throw sourceFault('changed', 'the repository can not be read any more; deploy again')
    return next.value
  }
}
