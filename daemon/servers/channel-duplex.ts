import {Duplex, type Readable, type Writable} from 'node:stream'
import type {ChannelEnd, CommandChannel} from './channel.js'

export interface DuplexEnds {
  /** What is written goes here. */
  readonly input: Writable
  readonly output: Readable
  /** Asked when the output is over: what it rejects with becomes the error of the stream. */
  readonly findFailure: () => Promise<void>
  close(): void
}

/** The two ends of a channel as one stream, enough of a socket for node:http. An end that is a failure is never told as a plain end. */
export class ChannelDuplex extends Duplex {
  readonly #ends: DuplexEnds
  #inputGone = false
  #written: (() => void) | undefined

  constructor(ends: DuplexEnds) {
    super({allowHalfOpen: false})
    this.#ends = ends
    // Who uses it listens too; where nobody does, an error must not end the daemon.
    this.on('error', () => undefined)
    ends.output.on('data', (piece: Buffer) => {
      // What still arrives after the end is let through to nobody; held back, it would keep the channel open.
      if (!this.destroyed && !this.push(piece)) ends.output.pause()
    })
    ends.output.once('end', () => {
      ends.findFailure().then(() => this.push(null), (error: unknown) => this.destroy(error as Error))
    })
    ends.output.on('error', (error) => this.destroy(error))
    // The far side may stop reading and still have something to say: what is written then is dropped, and the answer is read.
    const drop = () => {
      this.#inputGone = true
      this.#written?.()
      this.#written = undefined
    }
    ends.input.on('error', drop).once('close', drop)
  }

  override _read(): void {
    this.#ends.output.resume()
  }

  override _write(piece: Buffer, _encoding: BufferEncoding, callback: () => void): void {
    if (this.#inputGone) return callback()
    this.#written = callback
    this.#ends.input.write(piece, () => {
      if (this.#written === callback) {
        this.#written = undefined
        callback()
      }
    })
  }

  override _final(callback: () => void): void {
    if (!this.#inputGone) this.#ends.input.end()
    callback()
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    this.#written = undefined
    this.#ends.close()
    callback(error)
  }

  destroySoon(): void {
    if (this.writable) this.end()
    if (this.writableFinished) this.destroy()
    else this.once('finish', () => this.destroy())
  }

  // A channel has none of these of its own; its connection does.
  setTimeout(): this {
    return this
  }

  setNoDelay(): this {
    return this
  }

  setKeepAlive(): this {
    return this
  }

  ref(): this {
    return this
  }

  unref(): this {
    return this
  }
}

const keptErrorBytes = 4096

/** A command that was talked to ended with anything but success. */
export class CommandEnded extends Error {
  override readonly name = 'CommandEnded'
  readonly end: ChannelEnd
  readonly stderr: string

  constructor(end: ChannelEnd, stderr: string) {
    super(`the command ended with ${end.exitCode ?? end.signal ?? 'no exit status'}${stderr === '' ? '' : `: ${stderr}`}`)
    this.end = end
    this.stderr = stderr
  }
}

/** The stdin and stdout of a command as one stream. The signal destroys it, and destroying it lets go of the command, which then meets the end of its input. */
export function toDuplex(channel: CommandChannel, prefix: readonly string[], signal: AbortSignal): Duplex {
  let stderr = Buffer.alloc(0)
  channel.stderr.on('data', (piece: Buffer) => {
    if (stderr.length < keptErrorBytes) stderr = Buffer.concat([stderr, piece.subarray(0, keptErrorBytes - stderr.length)])
  })
  channel.stderr.on('error', () => undefined)
  for (const piece of prefix) channel.stdin.write(piece)
  const duplex = new ChannelDuplex({
    input: channel.stdin,
    output: channel.stdout,
    async findFailure() {
      const end = await channel.ended
      if (end.exitCode !== 0) throw new CommandEnded(end, stderr.toString('utf8').trim())
    },
    close: () => channel.close(),
  })
  endWith(duplex, signal)
  return duplex
}

/** Destroys a stream when the signal fires, for as long as it lives. */
export function endWith(stream: Duplex, signal: AbortSignal): void {
  const onAbort = () => {
    stream.destroy(signal.reason instanceof Error ? signal.reason : new Error('aborted'))
  }
  if (signal.aborted) return onAbort()
  signal.addEventListener('abort', onAbort, {once: true})
  stream.once('close', () => signal.removeEventListener('abort', onAbort))
}
